/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * publish.c - messages from clients into channels
 *
 * Only into channels that exist, have a type and match --write. A message is decoded before it is
 * put, so that a client cannot put one that is not of the channel's type.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "foxglove.h"

#define CDR_HEAD 4u
#define LITTLE_ENDIAN_CDR 1u /* in the second of its bytes */

struct foxglove_published {
    struct foxglove_published *next;
    uint32_t id;
    bool json; /* the client sends JSON, the channel has another encoding */
    char name[ACH_CHAN_NAME_MAX];
    ach_channel_t channel;
    struct value_codec codec;
};

static void published_free(struct foxglove *f, struct foxglove_published **at)
{
    struct foxglove_published *p = *at;

    *at = p->next;
    f->n_published--;
    value_codec_close(&p->codec);
    ach_close(&p->channel);
    free(p);
}

static struct foxglove_published **published_find(struct foxglove *f, uint64_t id)
{
    struct foxglove_published **at = &f->published;

    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

void view_publish_finish(struct foxglove *f)
{
    while (f->published)
        published_free(f, &f->published);
}

/* "std_msgs/String" and "std_msgs/msg/String" are the same. */
static bool publish_same_schema(struct value_text a, const char *b)
{
    const char *slash = strchr(b, '/'), *rest = slash ? slash + 1 : b;
    size_t package = (size_t)(rest - b);

    if (view_text_is(a, b))
        return true;
    if (strncmp(rest, "msg/", 4) != 0 || a.size != strlen(b) - 4)
        return false;
    return memcmp(a.at, b, package) == 0 && memcmp(a.at + package, rest + 4, a.size - package) == 0;
}

/* NULL, or why the client's channel does not fit. */
static const char *publish_fits(struct foxglove_published *p, struct value_text encoding,
                                struct value_text schema)
{
    const ach_channel_type_t *type;
    ach_info_t info;

    if (ach_channel_info(&p->channel, &info) != ACH_OK || info.readonly)
        return "this user may not write to it";
    if (ach_channel_type(&p->channel, &type) != ACH_OK)
        return "the channel has no type";
    if (value_codec_open(&p->codec, type) != ACH_OK)
        return "messages of its type cannot be made here";
    if (schema.size && !publish_same_schema(schema, type->name))
        return "the channel has another type of messages";
    if (view_text_is(encoding, type->encoding))
        return NULL;
    p->json = view_text_is(encoding, "json");
    return p->json ? NULL : "use the channel's encoding or json";
}

static void publish_refuse(struct foxglove *f, struct value_text topic, const char *why)
{
    view_client_status(f->client, VIEW_ERROR, "%.*s cannot be written: %s",
                       (int)(topic.size < 80 ? topic.size : 80), topic.at, why);
}

/* The channel of a name, with or without a slash in front. */
static bool publish_open(struct foxglove *f, struct foxglove_published *p, struct value_text topic)
{
    struct value_text name = topic;

    if (name.size && *name.at == '/')
        name = (struct value_text){topic.at + 1, topic.size - 1};
    if (!view_text_copy(name, p->name, sizeof(p->name)))
        publish_refuse(f, topic, "this is no name of a channel");
    else if (!view_words_match(&f->client->hub->options->write, p->name))
        publish_refuse(f, topic, "start 'ach view' with --write and a pattern to allow it");
    else if (ach_open(&p->channel, p->name, NULL) != ACH_OK)
        publish_refuse(f, topic, ach_errstr());
    else
        return true;
    return false;
}

static void publish_advertise(struct foxglove *f, const struct value *item)
{
    struct value_text topic, encoding, schema = {"", 0};
    struct foxglove_published *p;
    const char *why;
    uint64_t id;

    if (!view_request_number(item, "id", UINT32_MAX, &id) ||
        !view_request_text(item, "topic", &topic) ||
        !view_request_text(item, "encoding", &encoding)) {
        view_client_status(f->client, VIEW_ERROR, "a channel needs id, topic and encoding");
        return;
    }
    view_request_text(item, "schemaName", &schema);
    p = f->n_published < FOXGLOVE_PUBLISHED && !*published_find(f, id) ? calloc(1, sizeof(*p))
                                                                       : NULL;
    if (!p) {
        publish_refuse(f, topic, "the id is in use, or there are too many channels");
        return;
    }
    p->id = (uint32_t)id;
    if (!publish_open(f, p, topic)) {
        free(p);
        return;
    }
    p->next = f->published;
    f->published = p;
    f->n_published++;
    why = publish_fits(p, encoding, schema);
    if (!why)
        return;
    publish_refuse(f, topic, why);
    published_free(f, &f->published);
}

static bool publish_allowed(const struct foxglove *f)
{
    if (f->client->hub->options->write.count && !f->client->hub->options->file)
        return true;
    view_client_status(f->client, VIEW_ERROR,
                       "clients may not publish: start 'ach view' with --write to allow it");
    return false;
}

void view_publish_advertise(struct foxglove *f, const struct value *request)
{
    const struct value *list = view_request_list(request, "channels");
    size_t i;

    if (!publish_allowed(f))
        return;
    if (!list)
        view_client_status(f->client, VIEW_ERROR, "the member channels must be a list");
    for (i = 0; list && i < list->count && !f->client->code; i++)
        publish_advertise(f, &list->items[i]);
}

void view_publish_unadvertise(struct foxglove *f, const struct value *request)
{
    const struct value *list = view_request_list(request, "channelIds");
    struct foxglove_published **at;
    uint64_t id;
    size_t i;

    if (!list)
        view_client_status(f->client, VIEW_ERROR, "the member channelIds must be a list");
    for (i = 0; list && i < list->count && !f->client->code; i++) {
        at =
            view_request_as_number(&list->items[i], UINT32_MAX, &id) ? published_find(f, id) : NULL;
        if (at && *at)
            published_free(f, at);
        else
            view_client_status(f->client, VIEW_WARNING, "there is no such channel of this client");
    }
}

static void publish_put(struct foxglove *f, struct foxglove_published *p, const void *bytes,
                        size_t size)
{
    enum ach_status status = ach_put(&p->channel, bytes, size);

    if (status != ACH_OK)
        view_client_status(f->client, VIEW_ERROR, "%s: %s", p->name, ach_result_to_string(status));
}

static void publish_json(struct foxglove *f, struct foxglove_published *p, const uint8_t *bytes,
                         size_t size)
{
    char *text = malloc(size + 1);
    const struct value_source source = {.json = text};
    void *message;

    if (!text)
        return;
    memcpy(text, bytes, size);
    text[size] = '\0';
    if (memchr(text, 0, size))
        view_client_status(f->client, VIEW_ERROR, "%s: there is a NUL in the text", p->name);
    else if (value_codec_encode(&p->codec, &source, &message, &size) != ACH_OK) {
        view_client_status(f->client, VIEW_ERROR, "%s: %s", p->name, ach_errstr());
    } else {
        publish_put(f, p, message, size);
        free(message);
    }
    free(text);
}

static void publish_bytes(struct foxglove *f, struct foxglove_published *p, const uint8_t *bytes,
                          size_t size)
{
    struct value_tree tree = {.root = {.kind = VALUE_NULL}};

    if (strcmp(p->codec.encoding->name, "cdr") == 0) {
        if (size < CDR_HEAD || bytes[0] != 0 || bytes[1] != LITTLE_ENDIAN_CDR) {
            view_client_status(f->client, VIEW_ERROR,
                               "%s: a message must begin with 00 01: plain CDR, little-endian",
                               p->name);
            return;
        }
        bytes += CDR_HEAD;
        size -= CDR_HEAD;
    }
    if (value_codec_decode(&p->codec, bytes, size, &tree) == ACH_OK)
        publish_put(f, p, bytes, size);
    else
        view_client_status(f->client, VIEW_ERROR, "%s: this is no such message: %s", p->name,
                           ach_errstr());
    value_tree_finish(&tree);
}

void view_publish_message(struct foxglove *f, const uint8_t *bytes, size_t size)
{
    struct foxglove_published *p = size < 4 ? NULL : *published_find(f, view_get(bytes, 4));

    if (!p)
        view_client_status(f->client, VIEW_ERROR, "a message is of no channel of this client");
    else if (p->json)
        publish_json(f, p, bytes + 4, size - 4);
    else
        publish_bytes(f, p, bytes + 4, size - 4);
}
