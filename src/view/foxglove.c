/* SPDX-License-Identifier: BSD-3-Clause */
#include "foxglove.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base64.h"
#include "bytes.h"

#define TEXT_MAX ((size_t)1 << 20)
#define BINARY_MAX ((size_t)64 << 20)
#define MESSAGE_DATA 1
#define TIME 2
#define TELL_EVERY 1000000000u /* ns */

static void foxglove_words(struct json *j, const char *key, const char *const *words)
{
    json_array(j, key);
    for (; *words; words++)
        json_string(j, NULL, *words);
    json_end_array(j);
}

static void foxglove_greet(struct foxglove *f)
{
    static const char *const encodings[] = {"cdr", "json", "protobuf", "ros1", NULL};
    const struct view_options *o = f->client->hub->options;
    const char *capabilities[4];
    char host[256] = "";
    struct view_text t;
    size_t n = 0;

    if (!view_text_begin(&t, "serverInfo"))
        return;
    if (o->write.count)
        capabilities[n++] = "clientPublish";
    if (o->file)
        capabilities[n++] = "time";
    else
        capabilities[n++] = "connectionGraph";
    capabilities[n] = NULL;
    gethostname(host, sizeof(host) - 1);
    json_string(&t.json, "name", o->file ? o->file_name : host);
    foxglove_words(&t.json, "capabilities", capabilities);
    if (o->write.count)
        foxglove_words(&t.json, "supportedEncodings", encodings);
    json_object(&t.json, "metadata");
    json_string(&t.json, "ach", ACH_VERSION);
    json_end_object(&t.json);
    json_string(&t.json, "sessionId", f->client->hub->session);
    view_text_send(&t, f->client, NULL);
}

static bool foxglove_open(struct view_client *c)
{
    struct foxglove *f = calloc(1, sizeof(*f));

    if (!f)
        return false;
    f->client = c;
    c->session = f;
    foxglove_greet(f);
    return true;
}

static void subscription_free(struct foxglove *f, struct foxglove_subscription **at)
{
    struct foxglove_subscription *s = *at;

    *at = s->next;
    view_hub_unsubscribe(f->client->hub, &s->base);
    view_outbox_forget(&f->client->out, &s->stream);
    f->n_subscriptions--;
    free(s);
}

static void foxglove_drop_text(struct view_text *t, bool begun)
{
    struct view_blob *b = begun ? view_text_end(t) : NULL;

    view_blob_unref(b);
}

static void foxglove_close(struct view_client *c)
{
    struct foxglove *f = c->session;

    if (!f)
        return;
    while (f->subscriptions)
        subscription_free(f, &f->subscriptions);
    view_graph_want(f, false);
    view_publish_finish(f);
    foxglove_drop_text(&f->added, f->adding);
    foxglove_drop_text(&f->gone, f->going);
    free(f);
}

static void foxglove_status(struct view_client *c, enum view_level level, const char *sentence)
{
    struct view_text t;

    if (!view_text_begin(&t, "status"))
        return;
    json_uint(&t.json, "level", level);
    json_string(&t.json, "message", sentence);
    view_text_send(&t, c, NULL);
}

/* A descriptor set is no text. */
static void advertise_schema(struct json *j, const struct view_topic *t)
{
    bool text = strcmp(t->schema_encoding, "protobuf") != 0;

    if (text) {
        json_bytes(j, "schema", t->schema, t->schema_size);
    } else {
        json_key(j, "schema");
        putc('"', j->out);
        value_base64_write(t->schema, t->schema_size, j->out);
        putc('"', j->out);
    }
    if (*t->schema_encoding)
        json_string(j, "schemaEncoding", t->schema_encoding);
}

static size_t foxglove_added(struct view_client *c, struct view_topic *t)
{
    struct foxglove *f = c->session;
    struct json *j = &f->added.json;

    if (!view_topic_is_known(t))
        return 0;
    if (!f->adding && !view_text_begin(&f->added, "advertise"))
        return 0;
    if (!f->adding)
        json_array(j, "channels");
    f->adding = true;
    json_object(j, NULL);
    json_uint(j, "id", t->id);
    json_string(j, "topic", t->name);
    json_string(j, "encoding", t->encoding);
    json_string(j, "schemaName", t->schema_name);
    advertise_schema(j, t);
    json_end_object(j);
    return (size_t)ftello(j->out);
}

static void foxglove_removed(struct view_client *c, struct view_topic *t)
{
    struct foxglove *f = c->session;
    struct foxglove_subscription **at = &f->subscriptions;

    while (*at)
        if ((*at)->topic == t->id)
            subscription_free(f, at);
        else
            at = &(*at)->next;
    if (!view_topic_is_known(t))
        return;
    view_graph_removed(f, t);
    if (!f->going && !view_text_begin(&f->gone, "unadvertise"))
        return;
    if (!f->going)
        json_array(&f->gone.json, "channelIds");
    f->going = true;
    json_uint(&f->gone.json, NULL, t->id);
}

static void foxglove_send_list(struct view_client *c, struct view_text *t, bool *begun)
{
    if (!*begun)
        return;
    *begun = false;
    json_end_array(&t->json);
    view_text_send(t, c, NULL);
}

/* A new client gets an advertise, also if there is no topic. */
static void foxglove_settled(struct view_client *c)
{
    struct foxglove *f = c->session;

    if (!f->greeted && !f->adding && view_text_begin(&f->added, "advertise")) {
        json_array(&f->added.json, "channels");
        f->adding = true;
    }
    f->greeted = true;
    foxglove_send_list(c, &f->gone, &f->going);
    foxglove_send_list(c, &f->added, &f->adding);
}

/* Tell the client what it has missed because it reads too slowly, once per second. */
static void subscription_tell(struct foxglove_subscription *s)
{
    uint64_t now;

    if (s->stream.dropped == s->told)
        return;
    now = view_now();
    if (now - s->told_at < TELL_EVERY)
        return;
    view_client_status(s->owner->client, VIEW_WARNING,
                       "%llu messages of %s were dropped: this client reads too slowly",
                       (unsigned long long)(s->stream.dropped - s->told), s->base.topic->name);
    s->told = s->stream.dropped;
    s->told_at = now;
}

static void subscription_message(struct view_subscriber *base, struct view_message *m)
{
    struct foxglove_subscription *s = (struct foxglove_subscription *)base;
    struct view_blob *blob = view_message_blob(m);
    uint8_t head[1 + 4 + 8] = {MESSAGE_DATA};

    if (!blob)
        return;
    view_put(view_put(head + 1, s->id, 4), (uint64_t)m->put, 8);
    view_client_data(s->owner->client, &s->stream, head, sizeof(head), view_blob_ref(blob), false);
    subscription_tell(s);
}

/*
 * A client forgets all messages when the time runs backwards. So that is told before the messages of
 * the earlier time, and not replaced by a later time.
 */
static void foxglove_clock(struct view_client *c, const struct view_clock *clock)
{
    struct foxglove *f = c->session;
    uint8_t bytes[1 + 8] = {TIME};

    view_put(bytes + 1, clock->time, 8);
    if (clock->time >= f->time) {
        view_client_newest(c, &f->clock, view_blob_copy(bytes, sizeof(bytes)), false);
    } else {
        view_outbox_forget(&c->out, &f->clock);
        view_client_control(c, view_blob_copy(bytes, sizeof(bytes)), false);
    }
    f->time = clock->time;
}

static struct foxglove_subscription **subscription_find(struct foxglove *f, uint64_t id)
{
    struct foxglove_subscription **at = &f->subscriptions;

    while (*at && (*at)->id != id)
        at = &(*at)->next;
    return at;
}

static void foxglove_subscribe(struct foxglove *f, const struct value *item)
{
    struct foxglove_subscription *s;
    struct view_topic *t;
    uint64_t id = 0, channel;

    if (!view_request_number(item, "channelId", UINT32_MAX, &channel) ||
        !view_request_number(item, "id", UINT32_MAX, &id)) {
        view_client_status(f->client, VIEW_ERROR, "a subscription needs numbers id and channelId");
        return;
    }
    t = view_hub_topic(f->client->hub, channel);
    if (!t || !view_topic_is_known(t)) {
        view_client_status(f->client, VIEW_WARNING, "there is no channel %llu",
                           (unsigned long long)channel);
        return;
    }
    if (*subscription_find(f, id)) {
        view_client_status(f->client, VIEW_ERROR, "there is a subscription %llu already",
                           (unsigned long long)id);
        return;
    }
    s = f->n_subscriptions < FOXGLOVE_SUBSCRIPTIONS ? calloc(1, sizeof(*s)) : NULL;
    if (!s) {
        view_client_status(f->client, VIEW_ERROR, "there are too many subscriptions");
        return;
    }
    s->base.message = subscription_message;
    s->owner = f;
    s->id = (uint32_t)id;
    s->topic = t->id;
    s->next = f->subscriptions;
    f->subscriptions = s;
    f->n_subscriptions++;
    view_hub_subscribe(f->client->hub, t, &s->base);
}

static void foxglove_unsubscribe(struct foxglove *f, const struct value *item)
{
    struct foxglove_subscription **at;
    uint64_t id;

    if (!view_request_as_number(item, UINT32_MAX, &id)) {
        view_client_status(f->client, VIEW_ERROR, "subscriptionIds are numbers");
        return;
    }
    at = subscription_find(f, id);
    if (*at)
        subscription_free(f, at);
    else
        view_client_status(f->client, VIEW_WARNING, "there is no subscription %llu",
                           (unsigned long long)id);
}

static void foxglove_each(struct foxglove *f, const struct value *request, const char *list,
                          void (*fun)(struct foxglove *, const struct value *))
{
    const struct value *items = view_request_list(request, list);
    size_t i;

    if (!items)
        view_client_status(f->client, VIEW_ERROR, "the member %s must be a list", list);
    for (i = 0; items && i < items->count && !f->client->code; i++)
        fun(f, &items->items[i]);
}

static void foxglove_request(struct foxglove *f, const struct view_request *r)
{
    const struct value *root = &r->tree.root;

    if (view_request_is(r, "subscribe"))
        foxglove_each(f, root, "subscriptions", foxglove_subscribe);
    else if (view_request_is(r, "unsubscribe"))
        foxglove_each(f, root, "subscriptionIds", foxglove_unsubscribe);
    else if (view_request_is(r, "advertise"))
        view_publish_advertise(f, root);
    else if (view_request_is(r, "unadvertise"))
        view_publish_unadvertise(f, root);
    else if (view_request_is(r, "subscribeConnectionGraph"))
        view_graph_want(f, true);
    else if (view_request_is(r, "unsubscribeConnectionGraph"))
        view_graph_want(f, false);
    else
        view_client_status(f->client, VIEW_ERROR, "'%.*s' is not supported",
                           (int)(r->op.size < 40 ? r->op.size : 40), r->op.at);
}

static void foxglove_text(struct view_client *c, const char *text, size_t size)
{
    struct view_request r;

    if (view_request_parse(&r, text, size))
        foxglove_request(c->session, &r);
    else
        view_client_status(c, VIEW_ERROR, "%s", ach_errstr());
    view_request_finish(&r);
}

static void foxglove_binary(struct view_client *c, const uint8_t *bytes, size_t size)
{
    if (size && bytes[0] == MESSAGE_DATA)
        view_publish_message(c->session, bytes + 1, size - 1);
    else
        view_client_status(c, VIEW_ERROR, "binary messages with opcode %d are not supported",
                           size ? bytes[0] : -1);
}

const struct view_protocol view_protocol_foxglove = {
    .name = "foxglove.websocket.v1",
    .text_max = TEXT_MAX,
    .binary_max = BINARY_MAX,
    .open = foxglove_open,
    .close = foxglove_close,
    .text = foxglove_text,
    .binary = foxglove_binary,
    .added = foxglove_added,
    .removed = foxglove_removed,
    .settled = foxglove_settled,
    .clock = foxglove_clock,
    .listed = view_graph_listed,
    .status = foxglove_status,
};
