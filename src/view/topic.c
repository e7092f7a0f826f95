/* SPDX-License-Identifier: BSD-3-Clause */
#include "topic.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>

#define CDR_HEAD 4u

static enum view_picture topic_picture(const char *schema)
{
    static const struct {
        const char *schema;
        enum view_picture picture;
    } known[] = {
        {"sensor_msgs/msg/Image", VIEW_PICTURE_IMAGE},
        {"sensor_msgs/Image", VIEW_PICTURE_IMAGE},
        {"sensor_msgs/msg/CompressedImage", VIEW_PICTURE_COMPRESSED},
        {"sensor_msgs/CompressedImage", VIEW_PICTURE_COMPRESSED},
        {"nav_msgs/msg/OccupancyGrid", VIEW_PICTURE_GRID},
        {"nav_msgs/OccupancyGrid", VIEW_PICTURE_GRID},
    };
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].schema, schema) == 0)
            return known[i].picture;
    return VIEW_PICTURE_NONE;
}

static char *topic_text(const char *text)
{
    return strdup(text ? text : "");
}

struct view_topic *view_topic_new(uint32_t id, const struct view_topic_type *type)
{
    struct view_topic *t = calloc(1, sizeof(*t));

    if (!t)
        return NULL;
    t->id = id;
    t->name = topic_text(type->name);
    t->channel = topic_text(type->channel);
    t->encoding = topic_text(type->encoding);
    t->schema_name = topic_text(type->schema_name);
    t->schema_encoding = topic_text(type->schema_encoding);
    t->type_name = topic_text(type->type_name);
    t->type_encoding = topic_text(type->type_encoding);
    t->schema = malloc(type->schema_size + 1);
    if (!t->name || !t->channel || !t->encoding || !t->schema_name || !t->schema_encoding ||
        !t->type_name || !t->type_encoding || !t->schema) {
        view_topic_free(t);
        return NULL;
    }
    if (type->schema_size)
        memcpy(t->schema, type->schema, type->schema_size);
    ((char *)t->schema)[type->schema_size] = '\0';
    t->schema_size = type->schema_size;
    t->picture = topic_picture(t->schema_name);
    return t;
}

void view_topic_rest(struct view_topic *t)
{
    if (t->subscribers)
        return;
    if (t->codec)
        value_codec_close(t->codec);
    view_topic_forget(t);
    free(t->codec);
    t->codec = NULL;
    t->codec_tried = false;
}

void view_topic_free(struct view_topic *t)
{
    if (!t)
        return;
    view_topic_rest(t);
    free(t->name);
    free(t->channel);
    free(t->encoding);
    free(t->schema_name);
    free(t->schema_encoding);
    free(t->type_name);
    free(t->type_encoding);
    free(t->schema);
    free(t);
}

bool view_topic_is_known(const struct view_topic *t)
{
    static const char *const known[] = {"cdr", "json", "protobuf", "ros1"};
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(t->encoding, known[i]) == 0)
            return t->schema_size <= ACH_TYPE_SCHEMA_MAX;
    return false;
}

static void topic_open(struct view_topic *t)
{
    const bool known = *t->encoding;
    ach_channel_type_t type = {{{.name = known ? t->schema_name : t->type_name,
                                 .encoding = known ? t->encoding : t->type_encoding,
                                 .schema_encoding = t->schema_encoding,
                                 .schema = t->schema,
                                 .schema_size = t->schema_size}}};
    struct value_codec *c = *type.encoding ? calloc(1, sizeof(*c)) : NULL;

    if (c && value_codec_open(c, &type) == ACH_OK) {
        t->codec = c;
        return;
    }
    free(c);
}

const struct value_codec *view_topic_codec(struct view_topic *t)
{
    if (!t->codec_tried)
        topic_open(t);
    t->codec_tried = true;
    return t->codec;
}

bool view_message_body(const struct view_message *m, const void **body, size_t *size)
{
    size_t head = strcmp(m->topic->encoding, "cdr") == 0 ? CDR_HEAD : 0;

    if (m->size < head)
        return false;
    *body = (const uint8_t *)m->data + head;
    *size = m->size - head;
    return true;
}

static bool message_decode(struct view_message *m)
{
    const struct value_codec *codec = view_topic_codec(m->topic);
    const void *body;
    size_t size;

    return codec && view_message_body(m, &body, &size) &&
           value_codec_decode(codec, body, size, &m->tree) == ACH_OK;
}

const struct value *view_message_value(struct view_message *m)
{
    if (!m->tried)
        m->decoded = message_decode(m);
    m->tried = true;
    return m->decoded ? &m->tree.root : NULL;
}

struct view_blob *view_message_blob(struct view_message *m)
{
    if (!m->blob)
        m->blob = view_blob_copy(m->data, m->size);
    return m->blob;
}

void view_message_finish(struct view_message *m)
{
    view_blob_unref(m->blob);
    value_tree_finish(&m->tree);
    m->blob = NULL;
    m->tried = m->decoded = false;
}

void view_topic_forget(struct view_topic *t)
{
    view_blob_unref(t->newest);
    t->newest = NULL;
}

void view_topic_keep(struct view_message *m)
{
    struct view_blob *blob = view_message_blob(m);

    if (!blob)
        return;
    view_topic_forget(m->topic);
    m->topic->newest = view_blob_ref(blob);
    m->topic->newest_sequence = m->sequence;
    m->topic->newest_put = m->put;
}

void view_topic_repeat(struct view_topic *t, struct view_subscriber *s)
{
    struct view_message m = {.topic = t, .sequence = t->newest_sequence, .put = t->newest_put};

    if (!t->newest)
        return;
    m.blob = view_blob_ref(t->newest);
    m.data = m.blob->bytes;
    m.size = m.blob->size;
    s->message(s, &m);
    view_message_finish(&m);
}
