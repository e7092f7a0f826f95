/* SPDX-License-Identifier: BSD-3-Clause */
#include "topic.h"

#include <stdlib.h>
#include <string.h>

void record_lost_add(struct record_lost *to, const struct record_lost *lost)
{
    to->overwritten += lost->overwritten;
    to->dropped += lost->dropped;
    to->oversized += lost->oversized;
    to->unwritten += lost->unwritten;
}

uint64_t record_lost_total(const struct record_lost *lost)
{
    return lost->overwritten + lost->dropped + lost->oversized + lost->unwritten;
}

/* Encodings are constants of the feed. */
struct record_topic *record_topic_new(const struct feed_topic *topic)
{
    struct record_topic *t = calloc(1, sizeof(*t));
    void *schema = malloc(topic->schema_size + 1);

    if (t && schema) {
        t->topic = *topic;
        t->topic.schema_name = strdup(topic->schema_name);
        t->topic.type_name = strdup(topic->type_name);
        t->topic.type_encoding = strdup(topic->type_encoding);
        t->topic.channel = strdup(topic->channel);
        t->topic.schema = memcpy(schema, topic->schema, topic->schema_size);
        if (t->topic.schema_name && t->topic.type_name && t->topic.type_encoding &&
            t->topic.channel)
            return t;
        record_topic_free(t);
        return NULL;
    }
    free(schema);
    free(t);
    return NULL;
}

void record_topic_free(struct record_topic *t)
{
    free((char *)(uintptr_t)t->topic.schema_name);
    free((char *)(uintptr_t)t->topic.type_name);
    free((char *)(uintptr_t)t->topic.type_encoding);
    free((char *)(uintptr_t)t->topic.channel);
    free((void *)(uintptr_t)t->topic.schema);
    free(t->kept);
    free(t);
}
