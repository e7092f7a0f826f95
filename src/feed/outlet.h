/* SPDX-License-Identifier: BSD-3-Clause */
/* outlet.h - a topic with what the feed knows of it */
#ifndef FEED_OUTLET_H
#define FEED_OUTLET_H

#include "feed.h"

/* What topics share. */
struct feed_output {
    const struct feed_events *events;
    void *context;
    uint32_t last_id;
    uint64_t got, missed;
};

struct feed_outlet {
    struct feed_topic topic; /* the first member: feed_want finds the outlet by it */
    struct feed_channel *channel;
    struct feed_outlet *next; /* of the same channel */
    char *channel_name, *schema_name, *type_name, *type_encoding;
    void *schema;
    bool wanted;

    /* The last message of a topic that seldom has one, such as a map. */
    void *kept;
    size_t kept_size;
    int64_t kept_put;
    bool again; /* hand it out once more */
};

/* What the messages of a topic are. The strings and the schema are copied. */
struct feed_kind {
    bool keep;
    const char *encoding;                      /* a constant */
    const char *schema_name, *schema_encoding; /* the latter a constant */
    const void *schema;
    size_t schema_size;
    const char *type_name, *type_encoding; /* as the channel stores them, or "" */
};

/* NULL: no memory. */
struct feed_outlet *feed_outlet_new(const char *name, const char *channel, const ach_info_t *info,
                                    const struct feed_kind *kind);

/* Give it an id and tell the owner of the feed. */
void feed_outlet_announce(struct feed_output *o, struct feed_outlet *t);

/* Tell the owner if it was announced, and free it. */
void feed_outlet_remove(struct feed_output *o, struct feed_outlet *t, uint64_t missed);

/* Hand out a message of this topic. */
void feed_outlet_message(const struct feed_output *o, struct feed_outlet *t,
                         struct feed_message *m);

/* Remember it as the last one. */
void feed_outlet_keep(struct feed_outlet *t, const struct feed_message *m);

/* Hand out the last one again if it was asked for. */
void feed_outlet_again(const struct feed_output *o, struct feed_outlet *t);

#endif
