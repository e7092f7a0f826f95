/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * registry.h - channels by name, by device number, and as devices in /dev
 *
 * The name refers to its channel until it is removed or replaced. All functions
 * may run at the same time.
 */
#ifndef ACHK_REGISTRY_H
#define ACHK_REGISTRY_H

#include "channel.h"

struct inode;

int achk_registry_init(void);
/* Nobody has a channel open any more: remove them all. */
void achk_registry_exit(void);

/* Letters, digits, '.', '_' and '-', no leading dot, not too long. */
bool achk_name_valid(const char name[ACH_KERNEL_NAME_MAX]);

/* Give a channel its name and device; the registry takes over the reference on success. */
int achk_registry_add(struct achk_channel *ch, bool replace);
int achk_registry_remove(const char *name);

/* The channel behind a device that is being opened, with a reference, or an ERR_PTR. */
struct achk_channel *achk_registry_open(const struct inode *inode);

#endif
