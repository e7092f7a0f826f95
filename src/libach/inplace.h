/* SPDX-License-Identifier: BSD-3-Clause */
/* inplace.h - what copying and in-place access share */
#ifndef ACHI_INPLACE_H
#define ACHI_INPLACE_H

#include "handle.h"

/* May this handle put at all? */
enum ach_status achi_may_put(const struct achi_handle *h);

/* Put, through a handle that passed achi_may_put. origin: stored if the channel has origins. */
enum ach_status achi_put_any(const struct achi_handle *h, const void *buf, size_t len,
                             const struct achi_origin *origin);

/* Get as ach_get does. buf NULL with size UINT64_MAX: do not copy, only fill in *look. */
enum ach_status achi_get_wait(ach_channel_t *chan, void *buf, uint64_t size, struct achi_look *look,
                              const struct timespec *timeout, int options);

/* Drop the open reservation, if any. */
static inline void achi_room_drop(struct achi_handle *h)
{
    __atomic_store_n(&h->reserved, 0, __ATOMIC_RELAXED);
}

#endif
