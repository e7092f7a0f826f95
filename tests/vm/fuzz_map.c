/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_map.c - mappings of channels and cursors, and all that can be done to them */
#include "fuzz.h"

#include <sys/ioctl.h>

static struct fuzz_map *some_map(struct fuzz *f)
{
    return &f->maps[fuzz_below(f, MAPS)];
}

static void unmap(struct fuzz_map *m)
{
    if (m->at)
        munmap(m->at, m->size);
    m->at = NULL;
}

static void map(struct fuzz *f)
{
    struct fuzz_map *m = some_map(f);
    struct ach_kernel_info info = {.memory = 4096};
    int fd = fuzz_fd(f), prot = (int)fuzz_below(f, 8);
    int flags = fuzz_below(f, 4) ? MAP_SHARED : MAP_PRIVATE;
    bool channel = ioctl(fd, ACH_KERNEL_INFO, &info) == 0;
    size_t size = fuzz_below(f, 3) ? info.memory : 1 + fuzz_below(f, 4 * info.memory);
    off_t offset = fuzz_below(f, 3) ? 0 : (off_t)(fuzz_number(f) & ~(f->page - 1));
    void *p;

    unmap(m);
    p = mmap(NULL, size, prot, flags | (fuzz_below(f, 8) ? 0 : MAP_POPULATE), fd, offset);
    if (p == MAP_FAILED)
        return;
    if (channel && flags == MAP_SHARED && prot & (PROT_WRITE | PROT_EXEC))
        fuzz_wrong("a channel was mapped writable or executable");
    *m = (struct fuzz_map){.at = p, .size = size, .channel = channel};
    atomic_fetch_add(&fuzz_counts->maps, 1);
}

/* Load, and store unless it is a channel. After a fault, the next step follows. */
static void touch(struct fuzz *f)
{
    struct fuzz_map *m = some_map(f);
    unsigned i;

    if (!m->at)
        return;
    for (i = 0; i < 8; i++) {
        volatile unsigned char *p = m->at + fuzz_below(f, m->size);

        if (m->channel || fuzz_below(f, 2))
            (void)*p;
        else
            *p = (unsigned char)fuzz_below(f, 256);
    }
}

static void protect(struct fuzz *f)
{
    struct fuzz_map *m = some_map(f);
    int prot = (int)fuzz_below(f, 8);

    if (m->at && mprotect(m->at, m->size, prot) == 0 && m->channel &&
        prot & (PROT_WRITE | PROT_EXEC))
        unmap(m); /* allowed for private mappings; drop it */
}

/* Keep the first half. */
static void cut(struct fuzz *f, struct fuzz_map *m)
{
    size_t half = m->size / 2 / f->page * f->page;

    if (half && munmap(m->at + half, m->size - half) == 0)
        m->size = half;
}

static void change(struct fuzz *f)
{
    static const int advice[] = {MADV_DONTNEED, MADV_WILLNEED,  MADV_REMOVE,    MADV_FREE,
                                 MADV_DONTFORK, MADV_MERGEABLE, MADV_HUGEPAGE,  MADV_COLD,
                                 MADV_PAGEOUT,  MADV_DONTDUMP,  MADV_WIPEONFORK};
    struct fuzz_map *m = some_map(f);
    size_t size;
    void *p;

    if (!m->at)
        return;
    switch (fuzz_below(f, 5)) {
    case 0:
        madvise(m->at, m->size, advice[fuzz_below(f, sizeof(advice) / sizeof(advice[0]))]);
        break;
    case 1:
        size = 1 + fuzz_below(f, 3 * m->size);
        p = mremap(m->at, m->size, size, MREMAP_MAYMOVE);
        if (p != MAP_FAILED)
            *m = (struct fuzz_map){.at = p, .size = size, .channel = m->channel};
        break;
    case 2:
        cut(f, m);
        break;
    case 3:
        msync(m->at, m->size, fuzz_below(f, 2) ? MS_SYNC : MS_INVALIDATE | MS_ASYNC);
        mlock(m->at, m->size);
        break;
    default:
        unmap(m);
    }
}

void fuzz_map_step(struct fuzz *f)
{
    switch (fuzz_below(f, 4)) {
    case 0:
        map(f);
        break;
    case 1:
        protect(f);
        break;
    case 2:
        change(f);
        break;
    default:
        touch(f);
    }
}
