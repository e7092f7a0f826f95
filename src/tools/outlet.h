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
    struct log_info like; /* attributes to create it with; sizes: the largest of its logs */
    ach_channel_t chan;
    bool opened;
};

struct outlets {
    struct outlet *list;
    size_t n;
};

bool outlets_init(struct outlets *o, size_t max);

/* Find or add the outlet for a log. NULL after complaining. */
struct outlet *outlets_add(struct outlets *o, const struct log_info *info,
                           const struct replay_options *options);

/* Is this channel the OLD of the map OLD=NEW? */
bool map_is_for(const char *map, const char *channel);

/* Open all channels; create: create missing ones. False after complaining. */
bool outlets_open(struct outlets *o, bool create);

/* False after complaining. */
bool outlet_put(struct outlet *o, const void *data, size_t size);

void outlets_finish(struct outlets *o);

#endif
