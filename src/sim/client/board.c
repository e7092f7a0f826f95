/* SPDX-License-Identifier: BSD-3-Clause */
/* board.c - the client's side of the board: this thread's slot */
#include "../board.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink.h"

#define PARK_NS 10000000l /* of one futex wait */
#define PARKS 1000

/* The file must be the coordinator's: owned by this user or root, and large enough. */
static bool board_good(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid) &&
           st.st_size >= (off_t)sizeof(struct sim_board);
}

struct sim_board *simc_sink_board(const char *sim)
{
    char path[PATH_MAX];
    void *p = MAP_FAILED;
    int fd;

    if (!sim_path(sim, "board", path))
        return NULL;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    if (board_good(fd))
        p = mmap(NULL, sizeof(struct sim_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    return p == MAP_FAILED ? NULL : p;
}

void simc_sink_show(struct simc_sink *s)
{
    uint32_t section = s->awaits     ? SIM_SECTION_AWAIT
                       : s->critical ? SIM_SECTION_CRITICAL
                                     : SIM_SECTION_NONE;

    if (s->slot)
        __atomic_store_n(&s->slot->section, section, __ATOMIC_RELEASE);
}

/* Wait until the coordinator clears `wanted`; it may stop the process meanwhile. */
static void park(struct simc_sink *s)
{
    const struct timespec t = {.tv_nsec = PARK_NS};
    int i, saved = errno;

    __atomic_store_n(&s->slot->section, SIM_SECTION_PARKED, __ATOMIC_RELEASE);
    for (i = 0; i < PARKS && __atomic_load_n(&s->slot->wanted, __ATOMIC_SEQ_CST); i++)
        syscall(SYS_futex, &s->slot->wanted, FUTEX_WAIT, 1, &t, NULL, 0);
    simc_sink_show(s);
    errno = saved;
}

void simc_critical(void)
{
    struct simc_sink *s = &simc_sink_self;

    s->critical++;
    simc_sink_show(s);
}

void simc_jump(void)
{
    struct simc_sink *s = &simc_sink_self;

    if (!s->inside && !s->critical)
        return;
    s->inside = s->critical = 0;
    s->awaited = NULL;
    s->awaits = s->nudged = false;
    simc_sink_show(s);
    simc_sink_unmask(s);
}

void simc_uncritical(void)
{
    struct simc_sink *s = &simc_sink_self;

    if (s->critical) /* a child of fork begins with none */
        s->critical--;
    simc_sink_show(s);
    if (!s->critical && !s->inside && s->slot &&
        __atomic_load_n(&s->slot->wanted, __ATOMIC_RELAXED))
        park(s);
}
