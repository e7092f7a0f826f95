/* SPDX-License-Identifier: BSD-3-Clause */
/* source_live.c - messages of channels and devices, from a feed */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "complain.h"
#include "feed.h"
#include "hub.h"

struct live {
    struct view_hub *hub;
    struct feed *feed;
    struct view_watch watch;
    struct view_timer timer;
};

static void live_arm(struct live *l)
{
    view_timer_set(l->hub->loop, &l->timer, feed_deadline(l->feed));
}

static void live_turn(void *context)
{
    struct live *l = context;

    feed_turn(l->feed);
    view_hub_settle(l->hub);
    live_arm(l);
}

static void live_added(void *context, struct feed_topic *t)
{
    const struct live *l = context;
    const struct view_topic_type type = {.name = t->name,
                                         .channel = t->channel,
                                         .encoding = t->encoding,
                                         .schema_name = t->schema_name,
                                         .schema_encoding = t->schema_encoding,
                                         .schema = t->schema,
                                         .schema_size = t->schema_size,
                                         .type_name = t->type_name,
                                         .type_encoding = t->type_encoding};
    struct view_topic *topic = view_hub_add(l->hub, &type);

    t->user = topic;
    if (topic)
        topic->source = t;
}

static void live_removed(void *context, struct feed_topic *t, uint64_t missed)
{
    const struct live *l = context;
    struct view_topic *topic = t->user;

    (void)missed;
    if (!topic)
        return;
    topic->source = NULL;
    view_hub_remove(l->hub, topic);
}

static void live_message(void *context, const struct feed_message *from)
{
    const struct live *l = context;
    struct view_message m = {.topic = from->topic->user,
                             .sequence = from->sequence,
                             .missed = from->missed,
                             .put = from->put,
                             .data = from->data,
                             .size = from->size};

    if (m.topic)
        view_hub_message(l->hub, &m);
}

static void live_trouble(void *context, const char *channel, const char *sentence)
{
    const struct live *l = context;
    char text[512];

    snprintf(text, sizeof(text), "%s: %s", channel, sentence);
    view_hub_status(l->hub, VIEW_WARNING, text);
}

static const struct feed_events live_events = {
    .added = live_added, .removed = live_removed, .message = live_message, .trouble = live_trouble};

static bool live_start(struct view_hub *h)
{
    const struct feed_options options = {.patterns = h->options->patterns,
                                         .npatterns = h->options->npatterns,
                                         .held = true,
                                         .lazy = true};
    struct live *l = calloc(1, sizeof(*l));

    if (l) {
        l->hub = h;
        l->timer = (struct view_timer){.due = live_turn, .context = l};
        l->feed = feed_new(&options, &live_events, l);
    }
    if (!l || !l->feed) {
        view_complain("cannot read channels: %s", strerror(errno));
        free(l);
        return false;
    }
    h->state = l;
    l->watch = (struct view_watch){.fd = feed_fd(l->feed), .ready = live_turn, .context = l};
    if (!view_loop_add(h->loop, &l->watch))
        view_complain("cannot wait for messages: %s", strerror(errno));
    live_turn(l);
    return true;
}

static void live_stop(struct view_hub *h)
{
    struct live *l = h->state;

    view_timer_stop(h->loop, &l->timer);
    view_loop_remove(h->loop, &l->watch);
    feed_free(l->feed);
    free(l);
    h->state = NULL;
}

static void live_want(struct view_hub *h, struct view_topic *t, bool want)
{
    struct live *l = h->state;

    if (!t->source)
        return;
    feed_want(l->feed, t->source, want);
    live_arm(l);
}

const struct view_source view_source_live = {
    .start = live_start, .stop = live_stop, .want = live_want};
