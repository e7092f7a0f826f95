/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * channel.h - a channel: its memory, its writers' lock, its sleepers
 *
 * The core defines the memory layout (core/layout.h). Programs may map the memory
 * read-only; only the module writes it, so a check of the core stays true.
 *
 * A channel lives while the registry, an open file or a cursor's descriptor or
 * mapping refers to it.
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
    struct achk_user *user; /* the user whose limits it is charged to */
    struct xarray files;    /* number of open files, by uid */

    /* Used by registry.c. */
    char name[ACH_KERNEL_NAME_MAX];
    struct hlist_node by_name;
    struct achk_node *node;
    int minor;
    kuid_t uid;
    kgid_t gid;
    umode_t mode;
};

/* Create a channel for the calling user, not yet registered. Returns an ERR_PTR on failure. */
struct achk_channel *achk_channel_create(const struct ach_kernel_create *wish);

void achk_channel_get(struct achk_channel *ch);
void achk_channel_put(struct achk_channel *ch);

/* Mark a channel as unlinked (ACHI_UNLINKED) or replaced (ACHI_REPLACED). Wakes all sleepers. */
void achk_channel_retire(struct achk_channel *ch, enum achi_state state);

/* ACHI_LIVE, ACHI_UNLINKED or ACHI_REPLACED. */
static inline u32 achk_channel_state(const struct achk_channel *ch)
{
    return smp_load_acquire(&ch->view.hdr->state); /* pairs with achk_channel_retire */
}

/* The time on a clock, in nanoseconds. */
u64 achk_now(int clock);

#endif
