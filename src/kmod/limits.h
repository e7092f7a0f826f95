/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * limits.h - how much memory channels may take: one channel, one user, all users
 *
 * Counted for each user and for the machine: channels, and bytes of channels and
 * of the buffers that large messages pass through. A channel counts until its
 * memory is freed, also after it lost its name. Nothing of this memory can be
 * swapped out, and the out-of-memory killer cannot free it, so the machine's
 * share is bounded: many users, or one with many subordinate uids, cannot take
 * more than max_bytes. Control groups are charged as well (__GFP_ACCOUNT).
 *
 * Open files are counted for each user and channel, because a put wakes every
 * waiter. Processes with CAP_SYS_RESOURCE are counted, but bound only by
 * max_channel_bytes. All functions may be called at any time from any context
 * that may sleep.
 */
#ifndef ACHK_LIMITS_H
#define ACHK_LIMITS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

/* As many devices as there can be. */
#define ACHK_MINORS (1 << 16)

/*
 * Memory of users: charged to their control group. When there is none, fail with ENOMEM instead of
 * having the out-of-memory killer end other processes.
 */
#define ACHK_GFP_USER (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct achk_user;

void achk_limits_init(void);

/* The account of a user, NULL if there is no memory for it. */
struct achk_user *achk_user_get(kuid_t uid);
void achk_user_put(struct achk_user *user);

/* Count a channel: 0, -EFBIG (max_channel_bytes), -EDQUOT (the user's limits), -ENOSPC (the machine's). */
int achk_charge_channel(struct achk_user *user, u64 bytes);
void achk_uncharge_channel(struct achk_user *user, u64 bytes);

/* Count an open file of a channel, which keeps the counts of all its users: 0, -EDQUOT, -ENOMEM. */
int achk_charge_file(const struct achk_user *user, struct xarray *files);
void achk_uncharge_file(const struct achk_user *user, struct xarray *files);

/* Count other memory: 0, -ENOSPC or -EDQUOT. */
int achk_charge(struct achk_user *user, u64 bytes);
void achk_uncharge(struct achk_user *user, u64 bytes);

#endif
