/* SPDX-License-Identifier: BSD-3-Clause */
#include "delivery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A robot's clock that is as far off is not the wall clock. */
#define STAMP_OFF_NS 10000000000.0

/* Times that run backwards by less are put right. */
#define STEP_NS 1000000000

void feed_channel_trouble(struct feed_common *f, struct feed_channel *c, const char *sentence)
{
    if (strncmp(c->told, sentence, sizeof(c->told) - 1) == 0)
        return;
    snprintf(c->told, sizeof(c->told), "%s", sentence);
    if (f->output.events->trouble)
        f->output.events->trouble(f->output.context, c->name, sentence);
}

static void delivery_add(struct feed_common *f, struct feed_channel *c, struct feed_outlet *t)
{
    t->channel = c;
    t->next = c->outlets;
    c->outlets = t;
    t->topic.clock_offset = feed_clock_offset(&f->clocks, c->info.clock, c->read);
    feed_outlet_announce(&f->output, t);
}

/* The topic of the bytes as they are, or of a struct in XDR. */
static void delivery_add_plain(struct feed_common *f, struct feed_channel *c)
{
    const ach_channel_type_t *type = NULL;
    struct feed_typed typed;

    if (c->device && !f->exact)
        return;
    if (ach_channel_type(&c->chan, &type) != ACH_OK)
        type = NULL;
    feed_kind_find(&typed, type);
    c->table = typed.table;
    c->plain = feed_outlet_new(c->name, c->name, &c->info, &typed.kind);
    feed_kind_finish(&typed);
    if (c->plain)
        delivery_add(f, c, c->plain);
}

static struct feed_outlet *delivery_find(const struct feed_channel *c, const char *name)
{
    struct feed_outlet *t;

    for (t = c->outlets; t; t = t->next)
        if (t != c->plain && strcmp(t->topic.name, name) == 0)
            return t;
    return NULL;
}

static struct feed_outlet *delivery_add_translated(struct feed_common *f, struct feed_channel *c,
                                                   const char *name,
                                                   const struct feed_device_topic *topic)
{
    struct feed_kind kind = {.keep = topic->keep, .encoding = "cdr", .schema_encoding = "ros2msg"};
    char *type = NULL, *text = NULL;
    struct feed_outlet *t = NULL;

    kind.type_name = kind.type_encoding = "";
    if (topic->ros)
        text = feed_ros_text(topic->ros);
    else if (!feed_device_definition(topic->table, &type, &text))
        return NULL;
    kind.schema_name = topic->ros ? topic->ros->name : type;
    kind.schema = text;
    kind.schema_size = text ? strlen(text) : 0;
    if (text)
        t = feed_outlet_new(name, c->name, &c->info, &kind);
    free(type);
    free(text);
    if (t)
        delivery_add(f, c, t);
    return t;
}

/* A map has a topic before it is known. */
static void delivery_add_promised(struct feed_common *f, struct feed_channel *c)
{
    struct feed_device_topic topic;
    char name[FEED_TOPIC_MAX];

    if (!c->device || !feed_device_promise(c->device, &topic))
        return;
    snprintf(name, sizeof(name), "%s/%s", feed_device_name(c->device), topic.suffix);
    delivery_add_translated(f, c, name, &topic);
    c->ask = !f->lazy;
}

void feed_delivery_topics(struct feed_common *f, struct feed_channel *c)
{
    delivery_add_plain(f, c);
    delivery_add_promised(f, c);
}

bool feed_channel_wanted(const struct feed_common *f, const struct feed_channel *c)
{
    const struct feed_outlet *t;

    if (!f->lazy || c->learning)
        return true;
    for (t = c->outlets; t; t = t->next)
        if (t->wanted)
            return true;
    return false;
}

/* Hand out what a translation has made. */
static void delivery_emit(void *context, const struct feed_device_topic *topic)
{
    struct feed_delivery *d = context;
    struct feed_common *f = d->feed;
    char name[FEED_TOPIC_MAX];
    struct feed_outlet *t;

    snprintf(name, sizeof(name), "%s/%s", feed_device_name(d->channel->device), topic->suffix);
    t = delivery_find(d->channel, name);
    if (!t)
        t = delivery_add_translated(f, d->channel, name, topic);
    if (!t)
        return;
    d->message.data = f->cdr.bytes;
    d->message.size = f->cdr.used;
    if (topic->keep)
        feed_outlet_keep(t, &d->message);
    if (!f->lazy || t->wanted)
        feed_outlet_message(&f->output, t, &d->message);
    d->message.missed = 0;
}

struct feed_device_sink feed_delivery_sink(struct feed_delivery *d)
{
    return (struct feed_device_sink){
        .cdr = &d->feed->cdr, .odometry = &d->feed->odometry, .context = d, .emit = delivery_emit};
}

/* Devices' channels have no timestamps, but their messages do. */
static void delivery_stamp(struct feed_delivery *d, double stamp)
{
    const double put = stamp * 1e9;

    if (!d->channel->info.timestamps && isfinite(put) &&
        fabs(put - (double)d->message.got) < STAMP_OFF_NS)
        d->message.put = (int64_t)put;
}

/*
 * The geometry of a device is asked for when it has sent data: its driver runs, so that asking starts
 * nothing.
 */
static void delivery_ask_geometry(struct feed_channel *c, uint64_t sequence)
{
    if (c->asked || !feed_device_mounted(c->device) || sequence <= c->info.newest)
        return;
    c->ask = c->asked = true;
}

/* The header tells the time, so it is read before the message is translated. */
static void delivery_take_device(struct feed_delivery *d, const uint8_t *bytes, size_t size)
{
    const struct feed_device_sink sink = feed_delivery_sink(d);
    double stamp;

    if (feed_device_stamp(bytes, size, &stamp))
        delivery_stamp(d, stamp);
    if (!feed_device_take(d->channel->device, &sink, bytes, size))
        feed_channel_trouble(d->feed, d->channel,
                             "the channel of a device contains something that is no message of it");
    else
        delivery_ask_geometry(d->channel, d->message.sequence);
}

static void delivery_take_plain(struct feed_delivery *d, uint8_t *bytes, size_t size)
{
    struct feed_common *f = d->feed;
    struct feed_outlet *t = d->channel->plain;

    d->message.data = bytes;
    d->message.size = size;
    if (d->channel->table) {
        if (!feed_device_body(d->channel->table, bytes, size, &f->cdr)) {
            feed_channel_trouble(f, d->channel, "a message is not of the type of its channel");
            return;
        }
        d->message.data = f->cdr.bytes;
        d->message.size = f->cdr.used;
    } else if (*t->topic.encoding == 'c') {
        feed_cdr_header(bytes - FEED_CDR_HEADER);
        d->message.data = bytes - FEED_CDR_HEADER;
        d->message.size = size + FEED_CDR_HEADER;
    }
    feed_outlet_message(&f->output, t, &d->message);
}

/*
 * Times of a channel do not run backwards because its clock's offset was measured again. If the wall clock
 * was set, they do.
 */
static int64_t delivery_put_time(struct feed_common *f, struct feed_channel *c, int64_t got)
{
    int64_t offset = feed_clock_offset(&f->clocks, c->info.clock, c->read), put = got;
    struct timespec t;

    if (c->info.timestamps && ach_channel_timestamp(&c->chan, &t) == ACH_OK)
        put = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + offset;
    if (put < c->put && c->put - put < STEP_NS)
        put = c->put;
    c->put = put;
    return put;
}

void feed_deliver(struct feed_common *f, struct feed_channel *c, size_t size, uint64_t missed)
{
    struct feed_delivery d = {.feed = f, .channel = c, .message = {.missed = missed}};

    d.message.got = feed_clock_now(CLOCK_REALTIME);
    d.message.put = delivery_put_time(f, c, d.message.got);
    ach_channel_seq(&c->chan, &d.message.sequence);
    f->output.got++;
    f->output.missed += missed;
    c->missed += missed;
    if (c->plain && (!f->lazy || c->plain->wanted))
        delivery_take_plain(&d, f->buffer + FEED_HEADROOM, size);
    if (c->device) {
        d.message.missed = missed;
        delivery_take_device(&d, f->buffer + FEED_HEADROOM, size);
    }
}
