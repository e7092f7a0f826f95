/* SPDX-License-Identifier: BSD-3-Clause */
#include "hub.h"

#include <search.h>
#include <string.h>

#include "client.h"
#include "roster.h"

static void hub_listed(void *context)
{
    struct view_hub *h = context;
    struct view_client *c;

    for (c = h->clients; c; c = c->next)
        c->protocol->listed(c);
}

void view_hub_init(struct view_hub *h, struct view_loop *loop, const struct view_options *options,
                   const struct view_source *source)
{
    *h = (struct view_hub){.loop = loop, .options = options, .source = source};
    view_channels_init(&h->channels, loop, hub_listed, h);
}

void view_hub_settle(struct view_hub *h)
{
    struct view_client *c;

    for (c = h->clients; c; c = c->next)
        view_roster_tell(c);
}

bool view_hub_join(struct view_hub *h, struct view_client *c)
{
    if (!h->running && !h->source->start(h))
        return false;
    h->running = true;
    c->next = h->clients;
    h->clients = c;
    h->n_clients++;
    c->untold = h->topics;
    c->changed = true;
    view_roster_tell(c);
    return true;
}

void view_hub_leave(struct view_hub *h, struct view_client *c)
{
    struct view_client **at = &h->clients;

    while (*at && *at != c)
        at = &(*at)->next;
    if (!*at)
        return;
    *at = c->next;
    if (--h->n_clients || !h->running)
        return;
    h->source->stop(h);
    h->running = false;
}

static int hub_by_id(const void *a, const void *b)
{
    const struct view_topic *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static void hub_link(struct view_hub *h, struct view_topic *t)
{
    t->before = h->last_topic;
    if (t->before)
        t->before->next = t;
    else
        h->topics = t;
    h->last_topic = t;
}

static void hub_unlink(struct view_hub *h, struct view_topic *t)
{
    if (t->before)
        t->before->next = t->next;
    else
        h->topics = t->next;
    if (t->next)
        t->next->before = t->before;
    else
        h->last_topic = t->before;
}

struct view_topic *view_hub_add(struct view_hub *h, const struct view_topic_type *type)
{
    struct view_topic *t = view_topic_new(++h->next_id, type);
    struct view_client *c;

    if (!t)
        return NULL;
    if (!tsearch(t, &h->by_id, hub_by_id)) {
        view_topic_free(t);
        return NULL;
    }
    hub_link(h, t);
    for (c = h->clients; c; c = c->next)
        c->untold = c->untold ? c->untold : t;
    return t;
}

void view_hub_remove(struct view_hub *h, struct view_topic *t)
{
    const bool subscribed = t->subscribers; /* maybe by a client that was not told of it */
    struct view_client *c;

    tdelete(t, &h->by_id, hub_by_id);
    hub_unlink(h, t);
    while (t->subscribers) {
        struct view_subscriber *s = t->subscribers;

        t->subscribers = s->next;
        s->topic = NULL;
    }
    for (c = h->clients; c; c = c->next) {
        if (subscribed || view_roster_has(c, t)) {
            c->protocol->removed(c, t);
            c->changed = true;
        }
        c->untold = c->untold == t ? t->next : c->untold;
    }
    view_topic_free(t);
}

void view_hub_message(struct view_hub *h, struct view_message *m)
{
    struct view_subscriber *s, *next;

    h->messages++;
    m->topic->missed += m->missed;
    for (s = m->topic->subscribers; s; s = next) {
        next = s->next;
        s->message(s, m);
    }
    if (m->topic->subscribers)
        view_topic_keep(m);
    view_message_finish(m);
}

void view_hub_clock(struct view_hub *h, const struct view_clock *clock)
{
    struct view_client *c;

    h->clock = *clock;
    for (c = h->clients; c; c = c->next)
        c->protocol->clock(c, clock);
}

void view_hub_forget(struct view_hub *h)
{
    struct view_client *c;
    struct view_topic *t;

    for (t = h->topics; t; t = t->next)
        view_topic_forget(t);
    for (c = h->clients; c; c = c->next)
        if (c->protocol->forget)
            c->protocol->forget(c);
}

void view_hub_sought(struct view_hub *h)
{
    struct view_client *c;

    for (c = h->clients; c; c = c->next)
        if (c->protocol->sought)
            c->protocol->sought(c);
}

void view_hub_status(struct view_hub *h, int level, const char *sentence)
{
    struct view_client *c;

    for (c = h->clients; c; c = c->next)
        if (view_client_reads(c))
            c->protocol->status(c, (enum view_level)level, sentence);
}

struct view_topic *view_hub_topic(const struct view_hub *h, uint64_t id)
{
    const struct view_topic wanted = {.id = (uint32_t)id};
    struct view_topic *const *found = id > UINT32_MAX ? NULL : tfind(&wanted, &h->by_id, hub_by_id);

    return found ? *found : NULL;
}

struct view_topic *view_hub_named(const struct view_hub *h, const char *name, size_t size)
{
    struct view_topic *t = h->topics;

    while (t && (strlen(t->name) != size || memcmp(t->name, name, size) != 0))
        t = t->next;
    return t;
}

void view_hub_subscribe(struct view_hub *h, struct view_topic *t, struct view_subscriber *s)
{
    bool first = !t->subscribers;

    if (s->topic)
        view_hub_unsubscribe(h, s);
    s->topic = t;
    s->next = t->subscribers;
    t->subscribers = s;
    if (first)
        h->source->want(h, t, true);
    else
        view_topic_repeat(t, s);
}

void view_hub_unsubscribe(struct view_hub *h, struct view_subscriber *s)
{
    struct view_topic *t = s->topic;
    struct view_subscriber **at;

    if (!t)
        return;
    for (at = &t->subscribers; *at && *at != s;)
        at = &(*at)->next;
    if (*at)
        *at = s->next;
    s->topic = NULL;
    if (t->subscribers)
        return;
    view_topic_forget(t);
    h->source->want(h, t, false);
}
