/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * registry.h - channels by name, by device number, and as devices in /dev
 *
 * A name refers to its channel until the channel is removed or replaced. All functions
 * may run at the same time.
 */
#ifndef ACHK_REGISTRY_H
#define ACHK_REGISTRY_H

#include "channel.h"

struct inode;

int achk_registry_init(void);
/* Remove all channels. None may be open. */
void achk_registry_exit(void);

/* Letters, digits, '.', '_' and '-', no leading dot, shorter than ACH_KERNEL_NAME_MAX. */
bool achk_name_valid(const char name[ACH_KERNEL_NAME_MAX]);

/* Register the name and create the device. On success the registry owns the reference. */
int achk_registry_add(struct achk_channel *ch, bool replace);
int achk_registry_remove(const char *name);

/* Look up the channel of a device being opened. Returns a new reference, or an ERR_PTR. */
struct achk_channel *achk_registry_open(const struct inode *inode);

#endif
