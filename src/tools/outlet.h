/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outlet.h - the channels that a replay puts into
 *
 * Logs that play into one channel share its outlet.
 */
#ifndef TOOLS_OUTLET_H
#define TOOLS_OUTLET_H

#include "log.h"
#include "replay.h"

struct outlet {
    char name[ACH_CHAN_NAME_MAX];
    struct log_info like; /* what the channel was like, the largest of its logs */
    ach_channel_t chan;
    bool opened;
};

struct outlets {
    struct outlet *list;
    size_t n;
};

bool outlets_init(struct outlets *o, size_t max);

/* The outlet for a log. NULL: it has complained. */
struct outlet *outlets_add(struct outlets *o, const struct log_info *info,
                           const struct replay_options *options);

/* Does the map OLD=NEW speak of this channel? */
bool map_is_for(const char *map, const char *channel);

/* Open all channels, making them if wanted. On false it has complained. */
bool outlets_open(struct outlets *o, bool create);

/* On false it has complained. */
bool outlet_put(struct outlet *o, const void *data, size_t size);

void outlets_finish(struct outlets *o);

#endif
