/* SPDX-License-Identifier: BSD-3-Clause */
#include "outlet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"

static void outlet_free(struct feed_outlet *t)
{
    free(t->channel_name);
    free(t->schema_name);
    free(t->type_name);
    free(t->type_encoding);
    free(t->schema);
    free(t->kept);
    free(t);
}

/* The schema is followed by a NUL. */
static bool outlet_copy(struct feed_outlet *t, const char *channel, const struct feed_kind *kind)
{
    t->channel_name = strdup(channel);
    t->schema_name = strdup(kind->schema_name);
    t->type_name = strdup(kind->type_name);
    t->type_encoding = strdup(kind->type_encoding);
    t->schema = calloc(1, kind->schema_size + 1);
    if (!t->channel_name || !t->schema_name || !t->type_name || !t->type_encoding || !t->schema)
        return false;
    if (kind->schema_size)
        memcpy(t->schema, kind->schema, kind->schema_size);
    return true;
}

struct feed_outlet *feed_outlet_new(const char *name, const char *channel, const ach_info_t *info,
                                    const struct feed_kind *kind)
{
    struct feed_outlet *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    if (!outlet_copy(t, channel, kind)) {
        outlet_free(t);
        return NULL;
    }
    snprintf(t->topic.name, sizeof(t->topic.name), "%s", name);
    t->topic.keep = kind->keep;
    t->topic.encoding = kind->encoding;
    t->topic.schema_name = t->schema_name;
    t->topic.schema_encoding = kind->schema_encoding;
    t->topic.schema = t->schema;
    t->topic.schema_size = kind->schema_size;
    t->topic.type_name = t->type_name;
    t->topic.type_encoding = t->type_encoding;
    t->topic.channel = t->channel_name;
    t->topic.info = *info;
    return t;
}

void feed_outlet_announce(struct feed_output *o, struct feed_outlet *t)
{
    t->topic.id = ++o->last_id;
    if (o->events->added)
        o->events->added(o->context, &t->topic);
}

void feed_outlet_remove(struct feed_output *o, struct feed_outlet *t, uint64_t missed)
{
    if (t->topic.id && o->events->removed)
        o->events->removed(o->context, &t->topic, missed);
    outlet_free(t);
}

void feed_outlet_message(const struct feed_output *o, struct feed_outlet *t, struct feed_message *m)
{
    m->topic = &t->topic;
    if (o->events->message)
        o->events->message(o->context, m);
}

void feed_outlet_keep(struct feed_outlet *t, const struct feed_message *m)
{
    void *copy = malloc(m->size ? m->size : 1);

    if (!copy)
        return;
    memcpy(copy, m->data, m->size);
    free(t->kept);
    t->kept = copy;
    t->kept_size = m->size;
    t->kept_put = m->put;
}

void feed_outlet_again(const struct feed_output *o, struct feed_outlet *t)
{
    struct feed_message m = {.put = t->kept_put,
                             .got = feed_clock_now(CLOCK_REALTIME),
                             .data = t->kept,
                             .size = t->kept_size};

    if (t->again && t->kept)
        feed_outlet_message(o, t, &m);
    t->again = false;
}
