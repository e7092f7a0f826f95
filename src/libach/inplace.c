/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inplace.c - messages without a copy: reserve and commit, view and check
 *
 * Only the one writer of a single-writer channel gets a reservation in the
 * channel itself. On other channels a reservation is a private buffer: in
 * shared memory it would have to hold the writers' lock while application code
 * runs, and only the kernel writes into kernel channels.
 */
#include "inplace.h"

#include <stdlib.h>

#include "error.h"
#include "kernel.h"
#include "origin.h"
#include "ready.h"

static bool in_place(const struct achi_handle *h)
{
    return (h->view.flags & ACHI_F_SINGLE_WRITER) && !achi_in_kernel(h);
}

static enum ach_status buffer_grow(struct achi_handle *h, size_t size)
{
    void *p = NULL;

    if (size <= h->buffer_size)
        return ACH_OK;
    if (posix_memalign(&p, ACHI_ALIGN, size) != 0)
        return achi_fail(ACH_FAILED_SYSCALL, "no memory for a reservation of %zu bytes", size);
    free(h->buffer);
    h->buffer = p;
    h->buffer_size = size;
    return ACH_OK;
}

enum ach_status ach_reserve(ach_channel_t *chan, size_t size, void **ptr)
{
    struct achi_handle *h;
    enum ach_status r;

    if (!chan || !ptr || size == 0)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    r = achi_may_put(h);
    if (r != ACH_OK)
        return r;
    if (size > h->view.capacity)
        return ACH_OVERFLOW;
    achi_room_drop(h);
    r = in_place(h) ? achi_room_take(&h->view, size, &h->room) : buffer_grow(h, size);
    if (r != ACH_OK)
        return r;
    *ptr = in_place(h) ? h->room.place : h->buffer;
    __atomic_store_n(&h->reserved, size, __ATOMIC_RELAXED);
    return ACH_OK;
}

enum ach_status ach_commit(ach_channel_t *chan, size_t size)
{
    struct achi_handle *h;
    enum ach_status r;

    if (!chan)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    if (size == 0 || size > __atomic_load_n(&h->reserved, __ATOMIC_RELAXED))
        return ACH_EINVAL;
    r = achi_may_put(h);
    if (r != ACH_OK)
        return r;
    r = in_place(h) ? achi_room_commit(&h->view, &h->room, size)
                    : achi_put_any(h, h->buffer, size, &achi_no_origin);
    if (r != ACH_LOCKED)
        achi_room_drop(h);
    return r;
}

enum ach_status ach_abort(ach_channel_t *chan)
{
    if (!chan)
        return ACH_EINVAL;
    if (!achi_handle_in(chan))
        return ACH_CLOSED;
    if (!chan->priv->reserved)
        return ACH_EINVAL;
    achi_room_drop(chan->priv);
    return ACH_OK;
}

enum ach_status ach_view(ach_channel_t *chan, const void **ptr, size_t *size,
                         const struct timespec *timeout, int options)
{
    struct achi_look look;
    enum ach_status r;

    if (!chan || !ptr || !size)
        return ACH_EINVAL;
    if (!achi_handle_in(chan))
        return ACH_CLOSED;
    r = achi_get_wait(chan, NULL, UINT64_MAX, &look, timeout, options);
    achi_moved(chan, r == ACH_EAGAIN);
    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        return r;
    chan->priv->look = look;
    *ptr = look.place;
    *size = (size_t)look.size;
    return r;
}

enum ach_status ach_view_check(const ach_channel_t *chan)
{
    if (!chan)
        return ACH_EINVAL;
    if (!achi_handle_in(chan))
        return ACH_CLOSED;
    if (!chan->priv->look.entry)
        return ACH_EINVAL;
    return achi_look_valid(&chan->priv->look) ? ACH_OK : ACH_EAGAIN;
}
