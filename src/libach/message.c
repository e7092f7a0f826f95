/* SPDX-License-Identifier: BSD-3-Clause */
/* message.c - put, get, flush: messages by copy */
#include "../core/order.h"
#include "handle.h"
#include "inplace.h"
#include "kernel.h"
#include "notice.h"
#include "origin.h"
#include "ready.h"
#include "wait.h"

/* May only the source put, and is this handle not the source? */
static inline bool not_source(const struct achi_handle *h)
{
    return (h->view.flags & ACHI_F_SINGLE_WRITER) && !achi_is_source(h);
}

/* Would a put overwrite the room of an open reservation? */
static inline bool reservation_open(const struct achi_handle *h)
{
    return (h->view.flags & ACHI_F_SINGLE_WRITER) &&
           __atomic_load_n(&h->reserved, __ATOMIC_RELAXED);
}

enum ach_status achi_may_put(const struct achi_handle *h)
{
    if (h->readonly || not_source(h))
        return ACH_EACCES;
    return achi_in_kernel(h) || achi_same_namespace(h) ? ACH_OK : ACH_EACCES;
}

enum ach_status achi_put_any(const struct achi_handle *h, const void *buf, size_t len,
                             const struct achi_origin *origin)
{
    if (len > h->view.capacity)
        return ACH_OVERFLOW;
    if (achi_in_kernel(h))
        return achi_kernel_put(h, buf, len);
    if (h->view.flags & ACHI_F_ORIGINS)
        return achi_put_origin(&h->view, buf, len, origin);
    return achi_put(&h->view, buf, len);
}

/* On a kernel channel a reservation is a private buffer, but programs see the same ACH_LOCKED. */
static __attribute__((noinline)) enum ach_status put_carefully(const struct achi_handle *h,
                                                               const void *buf, size_t len,
                                                               const struct achi_origin *origin)
{
    enum ach_status r = achi_may_put(h);

    if (r != ACH_OK)
        return r;
    if (reservation_open(h))
        return ACH_LOCKED;
    return achi_put_any(h, buf, len, origin);
}

enum ach_status ach_put(ach_channel_t *chan, const void *buf, size_t len)
{
    const struct achi_handle *h;

    if (!chan || !buf || len == 0)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    /* Only tail calls: a call that returns here would cost a stack frame. */
    if (__builtin_expect(h->special || !achi_thread_known() || h->pidns != achi_thread_self.pidns,
                         0))
        return put_carefully(h, buf, len, &achi_no_origin);
    return achi_put(&h->view, buf, len);
}

enum ach_status ach_put_relayed(ach_channel_t *chan, const void *buf, size_t len,
                                const ach_origin_t *origin)
{
    const struct achi_handle *h;

    if (!chan || !buf || len == 0 || !origin)
        return ACH_EINVAL;
    h = achi_handle_in(chan);
    if (!h)
        return ACH_CLOSED;
    if (!(h->view.flags & ACHI_F_ORIGINS))
        return achi_no_origins();
    return put_carefully(h, buf, len, (const struct achi_origin *)origin);
}

ACHI_NO_BUFFER enum ach_status achi_get_wait(ach_channel_t *chan, void *buf, uint64_t size,
                                             struct achi_look *look, const struct timespec *timeout,
                                             int options)
{
    struct achi_handle *h = chan->priv;
    struct achi_deadline d;
    bool slept = false, late = false;
    uint32_t word;
    enum ach_status r;

    if (options & ACH_O_WAIT)
        options &= ~ACH_O_COPY;
    for (;;) {
        if (__builtin_expect(achi_canceled(chan), 0))
            return ACH_CANCELED;
        r = achi_get(&h->view, achi_cursor_of(chan), buf, size, options, look, &word);
        if (r != ACH_EAGAIN)
            return r;
        if (!(options & ACH_O_WAIT))
            return (options & ACH_O_LINKED) && achi_nameless(h) ? ACH_ENOENT : r;
        if (late)
            return ACH_TIMEOUT;
        r = slept ? ACH_OK : achi_deadline_init(&d, timeout, h->view.clock, options);
        if (r != ACH_OK)
            return r;
        slept = true;
        r = achi_sleep(chan, word, &d, options);
        late = r == ACH_TIMEOUT; /* check once more for a message that came in time */
        if (r != ACH_OK && !late)
            return r;
    }
}

static inline enum ach_status get_copy(ach_channel_t *chan, void *buf, size_t size,
                                       size_t *frame_size, const struct timespec *timeout,
                                       int options)
{
    struct achi_look look;
    enum ach_status r;

    look.size = 0;
    r = achi_get_wait(chan, buf, size, &look, timeout, options);
    if (r == ACH_OK || r == ACH_MISSED_FRAME || r == ACH_OVERFLOW)
        *frame_size = (size_t)look.size;
    return r;
}

/* Not inlined, so that a handle without a descriptor pays only for the check in ach_get. */
static __attribute__((noinline)) enum ach_status get_and_tell(ach_channel_t *chan, void *buf,
                                                              size_t size, size_t *frame_size,
                                                              const struct timespec *timeout,
                                                              int options)
{
    enum ach_status r = get_copy(chan, buf, size, frame_size, timeout, options);

    achi_ready_update(chan, r == ACH_EAGAIN || r == ACH_ENOENT);
    return r;
}

/* Old programs pass no frame_size when they expect no message, as after a cancel. */
static __attribute__((noinline)) enum ach_status
get_nothing(ach_channel_t *chan, const struct timespec *timeout, int options)
{
    size_t size;
    enum ach_status r = chan->priv->ready ? get_and_tell(chan, NULL, 0, &size, timeout, options)
                                          : get_copy(chan, NULL, 0, &size, timeout, options);

    return r == ACH_OVERFLOW ? ACH_EINVAL : r;
}

ACHI_NO_BUFFER enum ach_status ach_get(ach_channel_t *chan, void *buf, size_t size,
                                       size_t *frame_size, const struct timespec *timeout,
                                       int options)
{
    if (!chan || (!buf && size))
        return ACH_EINVAL;
    if (!achi_handle_in(chan))
        return ACH_CLOSED;
    if (__builtin_expect(!frame_size, 0))
        return get_nothing(chan, timeout, options);
    if (__builtin_expect(chan->priv->ready != NULL, 0))
        return get_and_tell(chan, buf, size, frame_size, timeout, options);
    return get_copy(chan, buf, size, frame_size, timeout, options);
}

enum ach_status ach_flush(ach_channel_t *chan)
{
    enum ach_status r;

    if (!chan)
        return ACH_EINVAL;
    if (!achi_handle_in(chan))
        return ACH_CLOSED;
    if (achi_canceled(chan))
        return ACH_CANCELED;
    r = achi_flush(&chan->priv->view, achi_cursor_of(chan));
    achi_moved(chan, true);
    return r;
}
