/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * heap.c - channels within one process
 *
 * The memory of a heap channel belongs to the program that created it, which frees it after the
 * last close, as in Ach 2.
 */
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "handle.h"
#include "origin.h"
#include "type.h"

enum ach_status achi_heap_create(const struct achi_geometry *g, ach_create_attr_t *attr,
                                 clockid_t clock)
{
    void *p = NULL;

    if (g->memory > SIZE_MAX / 2 || posix_memalign(&p, 128, (size_t)g->memory) != 0)
        return achi_fail(ACH_FAILED_SYSCALL, "no memory for a channel of %llu bytes",
                         (unsigned long long)g->memory);
    memset(p, 0, (size_t)g->memory);
    attr->shm = p;
    achi_format(attr->shm, g, clock, 0, achi_epoch());
    achi_type_store(attr->shm, g, attr->type);
    attr->shm->readonly_wake = attr->readonly_wake;
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
    achi_view_init(&h->view, shm, &g, shm->clock);
    h->span = (size_t)g.span;
    h->memory = g.memory;
    h->frame_size = g.frame_size;
    h->type_off = g.type_off;
    h->type_size = g.type_size;
    h->map = ACH_MAP_ANON;
    h->private_ = true;
    h->fd = -1;
    return ACH_OK;
}

void achi_heap_close(struct achi_handle *h)
{
    if (achi_is_source(h) && (h->view.flags & ACHI_F_SINGLE_WRITER))
        __atomic_store_n(&h->view.hdr->source, 0, __ATOMIC_RELEASE);
}

/*
 * All handles are of one process, so they may all be sources, except on a single-writer channel.
 * There the source is identified by its process's life, because a child of fork has a copy.
 */
bool achi_heap_lock_source(struct achi_handle *h)
{
    uint32_t *source = &h->view.hdr->source, self = (uint32_t)(achi_thread()->process >> 32);
    uint32_t last = __atomic_load_n(source, __ATOMIC_RELAXED);

    if (!(h->view.flags & ACHI_F_SINGLE_WRITER))
        return true;
    return last != self &&
           __atomic_compare_exchange_n(source, &last, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
