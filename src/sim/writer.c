/* SPDX-License-Identifier: BSD-3-Clause */
/* writer.c - which thread holds a channel's writer lock */
#include <linux/futex.h>
#include <stdbool.h>

#include "../libach/handle.h"
#include "writer.h"

pid_t sim_channel_writer(const ach_channel_t *chan)
{
    const uint32_t *lock = &chan->priv->view.hdr->lock;

    return (pid_t)(__atomic_load_n(lock, __ATOMIC_ACQUIRE) & FUTEX_TID_MASK);
}
