/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap.c - channels within one process
 *
 * A heap channel's memory is freed when its last handle is closed. The count
 * of handles stands in front of the header.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "handle.h"

struct heap_block {
    uint32_t handles;
    uint32_t source; /* achi_process->life of the process with the source lock; fork copies it */
    struct ach_header hdr __attribute__((aligned(128)));
};

#define FRONT offsetof(struct heap_block, hdr)

static struct heap_block *block_of(struct ach_header *hdr)
{
    return (struct heap_block *)((unsigned char *)hdr - FRONT);
}

enum ach_status achi_heap_create(const struct achi_geometry *g, ach_create_attr_t *attr,
                                 clockid_t clock)
{
    struct heap_block *b;
    void *p = NULL;

    if (g->memory > SIZE_MAX / 2 || posix_memalign(&p, 128, FRONT + (size_t)g->memory) != 0)
        return achi_fail(ACH_FAILED_SYSCALL, "no memory for a channel of %llu bytes",
                         (unsigned long long)g->memory);
    memset(p, 0, FRONT + (size_t)g->memory);
    b = p;
    achi_format(&b->hdr, g, clock, 0);
    b->hdr.readonly_wake = attr->readonly_wake;
    attr->shm = &b->hdr;
    return ACH_OK;
}

enum ach_status achi_heap_open(struct achi_handle *h, struct ach_header *shm)
{
    struct achi_geometry g;
    enum ach_status r;

    if (!shm)
        return achi_fail(ACH_EINVAL, "a heap channel is opened by its memory: set attr.shm");
    r = achi_geometry_check(&g, shm, shm->memory, shm->page);
    if (r != ACH_OK || (g.flags & ACHI_F_MIRRORED))
        return achi_fail(ACH_BAD_SHM_FILE, "attr.shm does not point to a channel");
    __atomic_fetch_add(&block_of(shm)->handles, 1, __ATOMIC_RELAXED);
    achi_view_init(&h->view, shm, &g, shm->clock);
    h->span = (size_t)g.span;
    h->memory = g.memory;
    h->frame_size = g.frame_size;
    h->map = ACH_MAP_ANON;
    h->private_ = true;
    h->fd = -1;
    return ACH_OK;
}

void achi_heap_close(struct achi_handle *h)
{
    struct heap_block *b = block_of(h->view.hdr);

    if (achi_is_source(h))
        __atomic_store_n(&b->source, 0, __ATOMIC_RELEASE);
    if (__atomic_sub_fetch(&b->handles, 1, __ATOMIC_ACQ_REL) == 0)
        free(b);
}

bool achi_heap_lock_source(struct achi_handle *h)
{
    uint32_t *source = &block_of(h->view.hdr)->source,
             self = (uint32_t)(achi_thread()->process >> 32);
    uint32_t last = __atomic_load_n(source, __ATOMIC_RELAXED);

    return last != self &&
           __atomic_compare_exchange_n(source, &last, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
