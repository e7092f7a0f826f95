/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.h - the channels among the contenders */
#ifndef PEERS_CHANNELS_H
#define PEERS_CHANNELS_H

#include "contender.h"

extern const struct contender contender_ach, contender_ach_newest, contender_ach_helper,
    contender_ach_heap, contender_ach_in_place, contender_ach_kernel, contender_ach_device;

/* For start: why there are no kernel channels, or NULL. */
const char *kernel_channels_missing(const char *dir);

#endif
