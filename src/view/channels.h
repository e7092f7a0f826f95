/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels.h - figures of all channels, once per second, for all pages
 *
 * They are sampled: no message is read for them. Nothing runs while no page wants them.
 */
#ifndef VIEW_CHANNELS_H
#define VIEW_CHANNELS_H

#include "loop.h"
#include "survey.h"
#include "users.h"

#define CHANNELS_AGES 7u

/* What is known of a channel beside the survey. */
struct view_channel {
    char name[ACH_CHAN_NAME_MAX];
    enum ach_map map;
    uint64_t ages[CHANNELS_AGES]; /* of the newest message, whenever it was looked at */
    double size;                  /* mean size of the newest messages; negative: unknown */
};

typedef void view_listed_t(void *context);

struct view_channels {
    struct view_loop *loop;
    struct survey survey;
    struct users users;
    struct view_channel *items; /* in the order of the survey */
    struct view_timer look, sample;
    uint64_t users_next; /* when to look at the processes again */
    unsigned wanted;
    view_listed_t *listed; /* the figures are new */
    void *context;
};

void view_channels_init(struct view_channels *c, struct view_loop *loop, view_listed_t *listed,
                        void *context);
void view_channels_want(struct view_channels *c, bool want); /* counted */
void view_channels_finish(struct view_channels *c);

#endif
