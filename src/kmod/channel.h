/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * channel.h - a channel: its memory, its writers' lock, its sleepers
 *
 * The memory is what the core makes of it (core/layout.h). Programs may map it
 * to read; only the module writes it, so what the core checks holds.
 *
 * Lives while the registry, an open file or a cursor's mapping refers to it.
 */
#ifndef ACHK_CHANNEL_H
#define ACHK_CHANNEL_H

#include <linux/kref.h>
#include <linux/rtmutex.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include <ach/kernel.h>

#include "../core/get.h"
#include "../core/put.h"
#include "sleepers.h"
#include "source.h"

struct achk_node;
struct achk_user;

struct achk_channel {
    struct kref ref;
    struct achi_view view;
    struct achi_geometry geometry;
    struct rt_mutex writers;
    struct achk_sleepers sleepers;
    struct achk_source source;
    struct achk_user *user; /* whose limits it counts against */
    struct xarray files;    /* how many open files each user has */

    /* Of the registry. */
    char name[ACH_KERNEL_NAME_MAX];
    struct hlist_node by_name;
    struct achk_node *node;
    int minor;
    kuid_t uid;
    kgid_t gid;
    umode_t mode;
};

/* A new channel of the calling user that nobody knows yet, or an ERR_PTR. */
struct achk_channel *achk_channel_create(const struct ach_kernel_create *wish);

void achk_channel_get(struct achk_channel *ch);
void achk_channel_put(struct achk_channel *ch);

/* The channel lost its name (ACHI_UNLINKED) or its place (ACHI_REPLACED). Wakes all. */
void achk_channel_retire(struct achk_channel *ch, enum achi_state state);

/* LIVE, UNLINKED or REPLACED. */
static inline u32 achk_channel_state(const struct achk_channel *ch)
{
    return smp_load_acquire(&ch->view.hdr->state); /* with achk_channel_retire */
}

/* What a clock says, in nanoseconds. */
u64 achk_now(int clock);

#endif
