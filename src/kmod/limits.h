/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * limits.h - limits on memory: of one channel, one user, all users
 *
 * Counted for each user and for the machine: channels, and bytes of channels and
 * of the buffers that large messages pass through. A channel counts until its
 * memory is freed, also after it was unlinked. This memory cannot be swapped
 * out, and the out-of-memory killer cannot free it, so the total is
 * bounded: many users, or one with many subordinate uids, cannot take
 * more than max_bytes. Control groups are charged as well (__GFP_ACCOUNT).
 *
 * Open files are counted for each user and channel, because a put wakes every
 * waiter. Processes with CAP_SYS_RESOURCE are counted, but limited only by
 * max_channel_bytes and ACHK_MINORS. All functions may be called at any time from any context
 * that may sleep.
 */
#ifndef ACHK_LIMITS_H
#define ACHK_LIMITS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

/* Number of device minors, so the most channels. */
#define ACHK_MINORS (1 << 16)

/*
 * For memory on behalf of users: charged to their control group. When memory is short, fail with
 * ENOMEM instead of invoking the out-of-memory killer.
 */
#define ACHK_GFP_USER (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

struct achk_user;

void achk_limits_init(void);

/* The account of a user, NULL if there is no memory for it. */
struct achk_user *achk_user_get(kuid_t uid);
void achk_user_put(struct achk_user *user);

/* Count a channel: 0, -EFBIG (max_channel_bytes), -EDQUOT (user's limits), -ENOSPC (machine's). */
int achk_charge_channel(struct achk_user *user, u64 bytes);
void achk_uncharge_channel(struct achk_user *user, u64 bytes);

/* Count an open file in `files`, the counts per user of a channel: 0, -EDQUOT, -ENOMEM. */
int achk_charge_file(const struct achk_user *user, struct xarray *files);
void achk_uncharge_file(const struct achk_user *user, struct xarray *files);

/* Count other memory: 0, -ENOSPC or -EDQUOT. */
int achk_charge(struct achk_user *user, u64 bytes);
void achk_uncharge(struct achk_user *user, u64 bytes);

#endif
