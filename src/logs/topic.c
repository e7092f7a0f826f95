/* SPDX-License-Identifier: BSD-3-Clause */
#include "topic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"

#define TOPIC_TEXTS 5u   /* each with its NUL, beside those of metadata */
#define ENCAPSULATION 4u /* bytes in front of CDR in files of MCAP */

struct logs_topic *logs_topic_find(const struct logs_topics *t, size_t file, uint16_t id,
                                   const char *name)
{
    size_t i;

    for (i = 0; i < t->n; i++) {
        struct logs_topic *topic = t->list[i];

        if (topic->file == file && topic->id == id && (id || strcmp(topic->name, name) == 0))
            return topic;
    }
    return NULL;
}

/* Room that has been allocated for all texts of a topic. */
struct topic_room {
    char *at;
};

static const char *topic_text(struct topic_room *r, struct mcap_text text)
{
    char *copy = r->at;

    if (text.size)
        memcpy(copy, text.at, text.size);
    copy[text.size] = '\0';
    r->at += text.size + 1;
    return copy;
}

static size_t topic_size(const struct logs_topic_of *of)
{
    size_t i, n = of->name.size + of->encoding.size + TOPIC_TEXTS;

    if (of->schema)
        n += of->schema->name.size + of->schema->encoding.size + of->schema->size;
    for (i = 0; i < of->metadata_count; i++)
        n += of->metadata[i].key.size + of->metadata[i].value.size + 2;
    return n;
}

static void topic_fill(struct logs_topic *t, struct mcap_pair *pairs,
                       const struct logs_topic_of *of, struct topic_room r)
{
    const struct mcap_schema none = {.id = 0}, *s = of->schema ? of->schema : &none;
    size_t i;

    t->id = of->id;
    t->name = topic_text(&r, of->name);
    t->encoding = topic_text(&r, of->encoding);
    t->schema_name = topic_text(&r, s->name);
    t->schema_encoding = topic_text(&r, s->encoding);
    t->schema = topic_text(&r, (struct mcap_text){s->data, s->size});
    t->schema_size = s->size;
    t->metadata = pairs;
    t->metadata_count = of->metadata_count;
    for (i = 0; i < of->metadata_count; i++) {
        const struct mcap_pair *p = &of->metadata[i];

        pairs[i].key = (struct mcap_text){topic_text(&r, p->key), p->key.size};
        pairs[i].value = (struct mcap_text){topic_text(&r, p->value), p->value.size};
    }
}

static bool topics_grow(struct logs_topics *t)
{
    size_t room = t->room ? 2 * t->room : 16;
    struct logs_topic **list;

    if (t->n < t->room)
        return true;
    list = realloc(t->list, room * sizeof(*list));
    if (!list)
        return false;
    t->list = list;
    t->room = room;
    return true;
}

/* One block: the topic, its pairs, its texts. */
struct logs_topic *logs_topic_add(struct logs_topics *t, size_t file,
                                  const struct logs_topic_of *of)
{
    size_t pairs = of->metadata_count * sizeof(struct mcap_pair);
    struct logs_topic *topic;

    if (!topics_grow(t))
        return NULL;
    topic = calloc(1, sizeof(*topic) + pairs + topic_size(of));
    if (!topic)
        return NULL;
    topic->file = file;
    topic_fill(topic, (struct mcap_pair *)(topic + 1), of,
               (struct topic_room){(char *)(topic + 1) + pairs});
    t->list[t->n++] = topic;
    return topic;
}

void logs_topics_free(struct logs_topics *t)
{
    size_t i;

    for (i = 0; i < t->n; i++)
        free(t->list[i]);
    free(t->list);
    *t = (struct logs_topics){0};
}

bool logs_same_kind(const struct logs_topic *a, const struct logs_topic *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->encoding, b->encoding) == 0 &&
           strcmp(a->schema_name, b->schema_name) == 0;
}

char *logs_typed_name(const struct logs_topic *t)
{
    const char *type = *t->schema_name ? t->schema_name : *t->encoding ? t->encoding : "-";
    char *name;

    return asprintf(&name, "%s~%s", t->name, type) < 0 ? NULL : name;
}

const char *logs_metadata(const struct logs_topic *t, const char *key)
{
    size_t i, n = strlen(key);

    for (i = 0; i < t->metadata_count; i++)
        if (t->metadata[i].key.size == n && memcmp(t->metadata[i].key.at, key, n) == 0)
            return t->metadata[i].value.at;
    return NULL;
}

static bool topic_ends(const char *name, const char *end)
{
    size_t n = strlen(name), k = strlen(end);

    return n > k && strcmp(name + n - k, end) == 0;
}

/* Their channels have no type, so their names tell: dev.6665.laser.0.data, dev.6665.ans */
enum logs_device logs_device(const struct logs_topic *t)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);
    const char *name = channel ? channel : t->name;
    bool told = strcmp(t->encoding, LOGS_ENCODING_DEVICE) == 0;

    if (!told && (*t->encoding || strncmp(name, "dev.", 4) != 0))
        return LOGS_NO_DEVICE;
    if (topic_ends(name, ".data"))
        return LOGS_DEVICE_DATA;
    if (topic_ends(name, ".cmd"))
        return LOGS_DEVICE_COMMANDS;
    return told || topic_ends(name, ".ans") || topic_ends(name, ".req") ? LOGS_DEVICE_OTHER
                                                                        : LOGS_NO_DEVICE;
}

/* The second byte is 1 for little-endian CDR of the first version; others would have to be converted. */
static bool is_plain_cdr(const struct logs_message *m, const char **why)
{
    const uint8_t *head = m->data;

    *why = NULL;
    if (m->size < ENCAPSULATION)
        *why = "are shorter than the 4 bytes that tell the byte order";
    else if (head[0] == 0 && head[1] == 0)
        *why = "are in big-endian byte order, which channels cannot hold";
    else if (head[0] != 0 || head[1] != 1)
        *why = "are in a variant of CDR that channels cannot hold";
    return !*why;
}

bool logs_bare(const struct logs_message *m, const void **data, size_t *size, const char **why)
{
    size_t skip = 0;

    if (strcmp(m->topic->encoding, "cdr") == 0) {
        if (!is_plain_cdr(m, why))
            return false;
        skip = ENCAPSULATION;
    }
    *data = (const uint8_t *)m->data + skip;
    *size = m->size - skip;
    return true;
}
