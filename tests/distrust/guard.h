/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.h - memory followed by an inaccessible guard page, so that an overrun crashes */
#ifndef GUARD_H
#define GUARD_H

#include "check.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

/* Room for size bytes, ending where the guard page begins. Never freed. */
static inline unsigned char *guard_alloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), span = (size + page - 1) / page * page;
    unsigned char *p =
        mmap(NULL, span + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    REQUIRE(p != MAP_FAILED);
    REQUIRE(mprotect(p + span, page, PROT_NONE) == 0);
    return p + span - size;
}

/* The end of the adjacent mappings of one file that begin at p. */
static inline unsigned char *guard_end_of(const void *p)
{
    uintptr_t end = (uintptr_t)p;
    unsigned long low, high, inode, first = 0;
    char line[512];
    FILE *f = fopen("/proc/self/maps", "r");

    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%lx-%lx %*s %*s %*s %lu", &low, &high, &inode) != 3 || low != end)
            continue;
        if (!first)
            first = inode;
        if (inode == first)
            end = high;
    }
    if (f)
        fclose(f);
    return (unsigned char *)end;
}

struct guard {
    unsigned char *end; /* of the channel's memory */
    void *page;         /* the guard page; MAP_FAILED if something else is mapped there */
};

/* Map a guard page behind an open channel's memory. */
static inline struct guard guard_channel(const ach_channel_t *chan)
{
    struct guard g = {.end = guard_end_of(chan->shm)};

    g.page = mmap(g.end, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    return g;
}

static inline void guard_remove(const struct guard *g)
{
    if (g->page != MAP_FAILED)
        munmap(g->page, (size_t)sysconf(_SC_PAGESIZE));
}

#endif
