/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * limits.h - how much of the machine one user may take
 *
 * Counted for each user: channels, and bytes of channels and of the buffers
 * that large messages pass through. A channel counts until its memory is gone,
 * also when it has no name any more. Open files are counted for each user and
 * channel: a put wakes all who wait, and that must come to an end. Who has CAP_SYS_RESOURCE is counted, but
 * only bound by what no channel may exceed. All functions may be called at any
 * time from anywhere that may sleep.
 */
#ifndef ACHK_LIMITS_H
#define ACHK_LIMITS_H

#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

/* As many devices as there can be. */
#define ACHK_MINORS (1 << 16)

struct achk_user;

void achk_limits_init(void);

/* The account of a user, NULL if there is no memory for it. */
struct achk_user *achk_user_get(kuid_t uid);
void achk_user_put(struct achk_user *user);

/* Count a channel: 0, -ENOSPC, -EFBIG or -EDQUOT. */
int achk_charge_channel(struct achk_user *user, u64 bytes);
void achk_uncharge_channel(struct achk_user *user, u64 bytes);

/* Count an open file of a channel, which keeps the counts of all its users: 0, -EDQUOT, -ENOMEM. */
int achk_charge_file(const struct achk_user *user, struct xarray *files);
void achk_uncharge_file(const struct achk_user *user, struct xarray *files);

/* Count other memory: 0 or -EDQUOT. */
int achk_charge(struct achk_user *user, u64 bytes);
void achk_uncharge(struct achk_user *user, u64 bytes);

#endif
