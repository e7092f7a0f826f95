/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * foxglove.h - a client of Foxglove's WebSocket protocol
 *
 * The subprotocols foxglove.websocket.v1 and foxglove.sdk.v1 have the same messages, as far as they
 * are used here.
 */
#ifndef VIEW_FOXGLOVE_H
#define VIEW_FOXGLOVE_H

#include "client.h"
#include "request.h"

#define FOXGLOVE_SUBSCRIPTIONS 1024u
#define FOXGLOVE_PUBLISHED 256u

struct foxglove_subscription {
    struct view_subscriber base; /* first */
    struct foxglove_subscription *next;
    struct foxglove *owner;
    uint32_t id, topic;
    struct view_stream stream;
    uint64_t told, told_at; /* dropped frames that the client was told of */
};

struct foxglove {
    struct view_client *client;
    struct foxglove_subscription *subscriptions;
    unsigned n_subscriptions;
    struct view_text added; /* an advertise that is being written */
    bool adding, greeted;
    struct view_text gone;
    bool going;
    struct foxglove_published *published;
    unsigned n_published;
    bool graph;
    struct view_stream graph_stream;
    struct view_blob *graph_text; /* that was sent last */
    char **gone_names;            /* topics that were removed since */
    size_t n_gone_names;
    struct view_stream clock;
    uint64_t time; /* that it was told */
};

/* publish.c: what a client sends to channels */
void view_publish_advertise(struct foxglove *f, const struct value *request);
void view_publish_unadvertise(struct foxglove *f, const struct value *request);
void view_publish_message(struct foxglove *f, const uint8_t *bytes, size_t size);
void view_publish_finish(struct foxglove *f);

/* graph.c: who writes and reads */
void view_graph_want(struct foxglove *f, bool want);
void view_graph_removed(struct foxglove *f, const struct view_topic *t);
void view_graph_listed(struct view_client *c);

#endif
