/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.h - the channels among the contenders */
#ifndef PEERS_CHANNELS_H
#define PEERS_CHANNELS_H

#include "contender.h"

extern const struct contender contender_ach, contender_ach_newest, contender_ach_helper,
    contender_ach_heap, contender_ach_in_place;

#endif
