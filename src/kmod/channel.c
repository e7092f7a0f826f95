/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
#include "channel.h"

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "limits.h"

static u32 core_flags(u32 flags)
{
    return (flags & ACH_KERNEL_TIMESTAMPS ? ACHI_F_TIMESTAMPS : 0) |
           (flags & ACH_KERNEL_SINGLE_WRITER ? ACHI_F_SINGLE_WRITER : 0);
}

/* Allocate the memory, charged to the caller's control group and limits. */
static int give_memory(struct achk_channel *ch, int clock)
{
    const struct achi_geometry *g = &ch->geometry;
    struct ach_header *hdr;
    int r;

    ch->user = achk_user_get(current_fsuid());
    if (!ch->user)
        return -ENOMEM;
    r = achk_charge_channel(ch->user, g->memory);
    if (r)
        goto no_charge;
    hdr = __vmalloc(g->memory, ACHK_GFP_USER | __GFP_ZERO);
    r = -ENOMEM;
    if (!hdr)
        goto no_memory;
    achi_format(hdr, g, clock, 0, get_random_u64());
    hdr->readonly_wake = 1; /* every put goes through achi_commit_wake */
    achi_view_init(&ch->view, hdr, g, clock);
    return 0;

no_memory:
    achk_uncharge_channel(ch->user, g->memory);
no_charge:
    achk_user_put(ch->user);
    return r;
}

struct achk_channel *achk_channel_create(const struct ach_kernel_create *wish)
{
    struct achk_channel *ch = kzalloc(sizeof(*ch), GFP_KERNEL_ACCOUNT);
    int r = -EINVAL;

    if (!ch)
        return ERR_PTR(-ENOMEM);
    if (achi_geometry_init(&ch->geometry, wish->frame_cnt, wish->frame_size, PAGE_SIZE,
                           core_flags(wish->flags), wish->type_size) == ACH_OK)
        r = ch->geometry.capacity < MAX_RW_COUNT ? give_memory(ch, wish->clock) : -EFBIG;
    if (r) {
        kfree(ch);
        return ERR_PTR(r);
    }
    kref_init(&ch->ref);
    rt_mutex_init(&ch->writers);
    achk_sleepers_init(&ch->sleepers);
    achk_source_init(&ch->source);
    xa_init(&ch->files);
    memcpy(ch->name, wish->name, sizeof(ch->name));
    ch->uid = current_fsuid();
    ch->gid = current_fsgid();
    ch->mode = wish->mode;
    return ch;
}

static void channel_release(struct kref *ref)
{
    struct achk_channel *ch = container_of(ref, struct achk_channel, ref);

    xa_destroy(&ch->files);
    vfree(ch->view.hdr);
    achk_uncharge_channel(ch->user, ch->geometry.memory);
    achk_user_put(ch->user);
    kfree(ch);
}

void achk_channel_get(struct achk_channel *ch)
{
    kref_get(&ch->ref);
}

void achk_channel_put(struct achk_channel *ch)
{
    kref_put(&ch->ref, channel_release);
}

void achk_channel_retire(struct achk_channel *ch, enum achi_state state)
{
    struct ach_header *hdr = ch->view.hdr;

    /* Under the lock: no put that began before this can commit after it. */
    rt_mutex_lock(&ch->writers);
    smp_store_release(&hdr->state, state); /* pairs with achk_channel_state */
    smp_mb__before_atomic();
    atomic_add(ACHI_NUDGE, (atomic_t *)&hdr->commit);
    rt_mutex_unlock(&ch->writers);
    achk_wake_all(&ch->sleepers);
}
