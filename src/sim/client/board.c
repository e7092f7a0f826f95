/* SPDX-License-Identifier: BSD-3-Clause */
/* board.c - the client's side of the board: this thread's word */
#include "../board.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sink.h"

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

    if (s->word)
        __atomic_store_n(s->word, section, __ATOMIC_RELEASE);
}

void achi_sim_critical(void)
{
    struct achi_sink *s = &achi_sink_self;

    s->critical++;
    achi_sink_show(s);
}

void achi_sim_uncritical(void)
{
    struct achi_sink *s = &achi_sink_self;

    if (s->critical) /* a child of fork begins with none */
        s->critical--;
    achi_sink_show(s);
}
