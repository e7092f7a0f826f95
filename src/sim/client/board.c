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

#define PARK_NS 10000000l /* at a time */
#define PARKS 1000

/* The file must be what the coordinator made: of this user or root, and large enough. */
static bool good(int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || !st.st_uid) &&
           st.st_size >= (off_t)sizeof(struct achi_board);
}

struct achi_board *achi_sink_board(const char *sim)
{
    char path[PATH_MAX];
    void *p = MAP_FAILED;
    int fd;

    if (!achi_sim_path(sim, "board", path))
        return NULL;
    fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return NULL;
    if (good(fd))
        p = mmap(NULL, sizeof(struct achi_board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    return p == MAP_FAILED ? NULL : p;
}

void achi_sink_show(struct achi_sink *s)
{
    uint32_t section = s->awaits     ? ACHI_SECTION_AWAIT
                       : s->critical ? ACHI_SECTION_CRITICAL
                                     : ACHI_SECTION_NONE;

    if (s->slot)
        __atomic_store_n(&s->slot->section, section, __ATOMIC_RELEASE);
}

/* The coordinator is about to stop the process. */
static void park(struct achi_sink *s)
{
    const struct timespec t = {.tv_nsec = PARK_NS};
    int i, saved = errno;

    __atomic_store_n(&s->slot->section, ACHI_SECTION_PARKED, __ATOMIC_RELEASE);
    for (i = 0; i < PARKS && __atomic_load_n(&s->slot->wanted, __ATOMIC_SEQ_CST); i++)
        syscall(SYS_futex, &s->slot->wanted, FUTEX_WAIT, 1, &t, NULL, 0);
    achi_sink_show(s);
    errno = saved;
}

void achi_sim_critical(void)
{
    struct achi_sink *s = &achi_sink_self;

    s->critical++;
    achi_sink_show(s);
}

void achi_sim_jump(void)
{
    struct achi_sink *s = &achi_sink_self;

    if (!s->inside && !s->critical)
        return;
    s->inside = s->critical = 0;
    s->awaited = NULL;
    s->awaits = s->nudged = false;
    achi_sink_show(s);
    achi_sink_unmask(s);
}

void achi_sim_uncritical(void)
{
    struct achi_sink *s = &achi_sink_self;

    if (s->critical) /* a child of fork begins with none */
        s->critical--;
    achi_sink_show(s);
    if (!s->critical && !s->inside && s->slot &&
        __atomic_load_n(&s->slot->wanted, __ATOMIC_RELAXED))
        park(s);
}
