/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * websocket.c - messages of a client of the viewer
 *
 * There are a few topics and a channel that may be written, and messages come between those of the
 * client. Devices cannot be opened.
 */
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "drive.h"
#include "json_parse.h"
#include "page.h"
#include "property.h"

#define CHANNEL "fuzzed"
#define SCHEMA "float64 x\nstring[] names\nuint8[] data\n"
#define QUEUE ((size_t)64 << 10)

/* What the sources would be. */
static bool started, wanted[8];

static bool websocket_start(struct view_hub *h)
{
    static const struct view_topic_type types[] = {
        {.name = CHANNEL,
         .channel = CHANNEL,
         .encoding = "cdr",
         .schema_name = "demo/msg/T",
         .schema_encoding = "ros2msg",
         .schema = SCHEMA,
         .schema_size = sizeof(SCHEMA) - 1},
        {.name = "json", .channel = "json", .encoding = "json"},
        {.name = "bytes", .channel = "bytes"},
        {.name = "image",
         .channel = "image",
         .encoding = "json",
         .schema_name = "sensor_msgs/msg/Image"},
        {.name = "grid",
         .channel = "grid",
         .encoding = "json",
         .schema_name = "nav_msgs/msg/OccupancyGrid"},
    };
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        HOLDS(view_hub_add(h, &types[i]) != NULL);
    return started = true;
}

static void websocket_stop(struct view_hub *h)
{
    while (h->topics)
        view_hub_remove(h, h->topics);
    started = false;
}

/* Each is told once. */
static void websocket_want(struct view_hub *h, struct view_topic *t, bool want)
{
    HOLDS(started && view_hub_topic(h, t->id) == t && wanted[t->id % 8] != want);
    wanted[t->id % 8] = want;
}

static void websocket_control(struct view_hub *h, enum view_control control, double value)
{
    const struct view_clock clock = {
        .time = 1, .start = 1, .end = 2, .paused = control != VIEW_PLAY};

    HOLDS(value >= 0);
    view_hub_clock(h, &clock);
}

static const struct view_source source_live = {
    .start = websocket_start, .stop = websocket_stop, .want = websocket_want};
static const struct view_source source_file = {.start = websocket_start,
                                               .stop = websocket_stop,
                                               .want = websocket_want,
                                               .control = websocket_control};

/* No device is opened, so none is commanded. */
struct drive *drive_new(const char *address, const char *place, int news)
{
    HOLDS(strlen(address) < ACH_ADDRESS_MAX && strlen(place) < ACH_ADDRESS_MAX && news >= 0);
    return NULL;
}

const char *drive_command(struct drive *d, const void *page, const struct actuator_command *c,
                          bool fresh)
{
    (void)page, (void)c, (void)fresh;
    HOLDS(!d);
    return NULL;
}

bool drive_stop(struct drive *d, const void *page)
{
    (void)page;
    HOLDS(!d);
    return true;
}

void drive_release(struct drive *d, const void *page)
{
    (void)page;
    HOLDS(!d);
}

void drive_leave(struct drive *d, const void *page, const char *reason)
{
    (void)page, (void)reason;
    HOLDS(!d);
}

void drive_end(struct drive *d)
{
    HOLDS(!d);
}

bool drive_ended(struct drive *d)
{
    HOLDS(!d);
    return true;
}

void drive_finish(struct drive *d)
{
    HOLDS(!d);
}

void drive_free(struct drive *d)
{
    HOLDS(!d);
}

static void websocket_wake(void *connection)
{
    (void)connection;
}

static void websocket_text(const struct view_frame *f, const uint8_t *bytes, size_t size)
{
    struct value_tree t = {.root = {.kind = VALUE_NULL}};

    HOLDS(f->head_size == 0);
    HOLDS(value_parse_json(&t.arena, (const char *)bytes, size, &t.root) == ACH_OK);
    HOLDS(t.root.kind == VALUE_OBJECT && value_member(&t.root, "op", 2));
    value_tree_finish(&t);
}

/* What is sent is JSON, or a binary message, and stays within the bounds. */
static void websocket_read(struct view_client *c)
{
    HOLDS(c->out.control <= c->out.control_max);
    while (c->out.first) {
        size_t size = view_frame_size(c->out.first);
        uint8_t *bytes = malloc(size ? size : 1);

        HOLDS(bytes && view_outbox_take(&c->out, bytes, size) == size);
        if (c->out.first->text)
            websocket_text(c->out.first, bytes, size);
        else
            HOLDS(size > 0);
        free(bytes);
        view_outbox_pop(&c->out);
    }
    HOLDS(c->out.control == 0 && c->out.data == 0);
}

static void websocket_publish(struct view_hub *h, const uint8_t *data, size_t size)
{
    struct view_topic *t;

    for (t = h->topics; t; t = t->next) {
        struct view_message m = {.topic = t, .data = data, .size = size, .put = 1, .sequence = 1};

        if (t->subscribers)
            view_hub_message(h, &m);
    }
}

/* In memory of exactly its size and a NUL, as the server gives it. */
static void websocket_receive(struct view_client *c, bool text, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);

    HOLDS(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    copy[size] = 0;
    view_client_receive(c, text, copy, size);
    free(copy);
}

/* Each message has two bytes in front: its kind and length. */
static void websocket_talk(struct view_hub *h, struct view_client *c, struct property_input *in)
{
    while (in->at < in->end && !c->code) {
        unsigned kind = property_byte(in), length = property_byte(in) | (kind & 0x0f) << 8;
        size_t size = length < (size_t)(in->end - in->at) ? length : (size_t)(in->end - in->at);

        if (kind >> 4 == 15)
            websocket_publish(h, in->at, size);
        else if (kind >> 4 == 14)
            view_loop_turn(h->loop);
        else
            websocket_receive(c, kind >> 4 < 11, in->at, size);
        in->at += size;
        if (kind & 0x10)
            websocket_read(c);
    }
    websocket_read(c);
}

static void websocket_channel(void)
{
    ach_channel_type_t type = {{{.name = "demo/msg/T",
                                 .encoding = "cdr",
                                 .schema_encoding = "ros2msg",
                                 .schema = SCHEMA,
                                 .schema_size = sizeof(SCHEMA) - 1}}};
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_type(&attr, &type);
    STATUS(ach_create(CHANNEL, 4, 256, &attr), ACH_MASK_OK | ACH_MASK_EEXIST);
}

void property_websocket(const uint8_t *data, size_t size)
{
    static struct view_loop loop;
    struct view_options options = {
        .write = {.at = {"*"}, .count = 1}, .queue = QUEUE, .clients = 1, .drive = size & 1};
    struct property_input in = {data, data + size};
    unsigned first = property_byte(&in);
    struct view_hub h;
    struct view_client *c;

    if (!loop.alarm) {
        HOLDS(view_loop_init(&loop));
        websocket_channel();
    }
    options.file = first & 2 ? "fuzz.mcap" : NULL;
    options.file_name = options.file;
    view_hub_init(&h, &loop, &options, options.file ? &source_file : &source_live);
    c = view_client_new(&h, first & 1 ? &view_protocol_page : &view_protocol_foxglove,
                        websocket_wake, NULL);
    HOLDS(c != NULL);
    websocket_talk(&h, c, &in);
    view_client_free(c);
    page_drives_finish(&h);
    HOLDS(!h.topics && !h.clients && !h.pages && !loop.timers && !started);
}
