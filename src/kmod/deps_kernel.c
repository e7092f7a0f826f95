/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/rtmutex.h>
#include <linux/timekeeping.h>

#include "channel.h"

static struct achk_channel *channel_of(const struct achi_view *v)
{
    return container_of((struct achi_view *)v, struct achk_channel, view);
}

/* The lock word in the channel's memory stays 0: the rt_mutex is out of reach of programs. */
enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
{
    return rt_mutex_lock_interruptible(&channel_of(v)->writers) ? ACH_EINTR : ACH_OK;
}

void achi_unlock(const struct achi_view *v, uint32_t *word)
{
    rt_mutex_unlock(&channel_of(v)->writers);
}

void achi_commit_wake(const struct achi_view *v, uint32_t add)
{
    smp_mb__before_atomic(); /* the message before its commit: pairs with GET_HEAD */
    atomic_add((int)add, (atomic_t *)&v->hdr->commit);
}

u64 achk_now(int clock)
{
    switch (clock) {
    case CLOCK_REALTIME:
        return ktime_get_real_ns();
    case CLOCK_BOOTTIME:
        return ktime_get_boottime_ns();
    case CLOCK_TAI:
        return ktime_get_clocktai_ns();
    default:
        return ktime_get_ns();
    }
}

uint64_t achi_now(const struct achi_view *v)
{
    return achk_now(v->clock);
}
