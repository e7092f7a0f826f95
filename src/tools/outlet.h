/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outlet.h - the channels that a replay puts into
 *
 * Topics that play into one channel share its outlet. A topic's `user` is its outlet.
 */
#ifndef TOOLS_OUTLET_H
#define TOOLS_OUTLET_H

#include <ach.h>

#include "../logs/logs.h"
#include "replay.h"

struct outlet {
    char name[ACH_CHAN_NAME_MAX];
    bool skipped;                   /* nothing is put: outlets.skip */
    uint64_t frame_cnt, frame_size; /* to create it with: the largest of its topics; 0: not known */
    size_t largest;                 /* message, if they were measured */
    clockid_t clock;
    bool stamped;
    const struct logs_topic *topic; /* which tells the type */
    bool device;                    /* it is a channel of a device */
    ach_channel_t chan;
    bool opened;
};

struct outlets {
    const struct replay_options *options;
    struct outlet **list;
    size_t n;
    struct outlet skip; /* of topics that are not played */
    unsigned converted; /* topics that were made of the data of devices */
    unsigned absent;    /* channels of devices that do not exist */
    bool told;
};

void outlets_init(struct outlets *o, const struct replay_options *options);

/* Find or add the outlet of a topic. False after complaining. */
bool outlets_add(struct outlets *o, struct logs_topic *t);

/* Is this topic the OLD of the map OLD=NEW? */
bool map_is_for(const char *map, const struct logs_topic *t);

/* Must messages be measured before the channel can be created? */
bool outlet_unmeasured(const struct outlet *o);

/* Open the channel; with --create, create it if it does not exist. False after complaining. */
bool outlet_open(struct outlets *o, struct outlet *out);

/* False after complaining. */
bool outlet_put(struct outlet *o, const struct logs_message *m);

/* Say once which topics are not played. */
void outlets_tell(struct outlets *o);

void outlets_finish(struct outlets *o);

#endif
