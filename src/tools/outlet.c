/* SPDX-License-Identifier: BSD-3-Clause */
#include "outlet.h"

#include <stdlib.h>
#include <string.h>

#include "../logs/keys.h"
#include "common.h"
#include "parse.h"

/* The largest channel that is created: recordings are not trusted. */
#define OUTLET_MAX ((uint64_t)1 << 30)

/* The geometry of a channel of which only the messages are known. */
#define OUTLET_COUNT 16u
#define OUTLET_ALIGN 64u

/* Linux has far fewer clocks than this. */
#define OUTLET_CLOCKS 32u

#define MESSAGES_TEXT (2 * ACH_TYPE_NAME_MAX + 16)

void outlets_init(struct outlets *o, const struct replay_options *options)
{
    *o = (struct outlets){.options = options, .skip = {.skipped = true}};
}

/* The name of its channel when it was recorded; NULL: it was not recorded from a channel. */
static const char *topic_channel(const struct logs_topic *t)
{
    return logs_metadata(t, LOGS_KEY_CHANNEL);
}

bool map_is_for(const char *map, const struct logs_topic *t)
{
    const size_t n = strcspn(map, "=");
    char *typed = logs_typed_name(t);
    const char *names[] = {t->name, topic_channel(t), typed};
    bool is = false;
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        is = is || (names[i] && strlen(names[i]) == n && strncmp(map, names[i], n) == 0);
    free(typed);
    return is;
}

/* Topics of other programs: /robot/scan is the channel robot.scan. A name that is too long stays so. */
static const char *topic_as_channel(const char *topic, char room[ACH_CHAN_NAME_MAX])
{
    char *c;

    topic += *topic == '/';
    if (strlen(topic) >= ACH_CHAN_NAME_MAX)
        return topic;
    strcpy(room, topic);
    for (c = room; *c; c++)
        if (*c == '/')
            *c = '.';
    return room;
}

/* Its messages are not those of the channel: the recorder made them for viewers. */
static bool topic_converted(const struct logs_topic *t)
{
    const char *encoding = logs_metadata(t, LOGS_KEY_ENCODING);

    return topic_channel(t) && encoding && strcmp(encoding, t->encoding) != 0 &&
           logs_device(t) == LOGS_NO_DEVICE;
}

/* The channel to play a topic into, according to --to and --map. NULL: none. */
static const char *outlet_target(const struct replay_options *options, const struct logs_topic *t,
                                 char room[ACH_CHAN_NAME_MAX])
{
    size_t i;

    if (options->to)
        return options->to;
    for (i = 0; i < options->n_maps; i++)
        if (map_is_for(options->maps[i], t))
            return strchr(options->maps[i], '=') + 1;
    /* Requests and answers belong to processes that have ended. */
    if (topic_converted(t) || logs_device(t) == LOGS_DEVICE_OTHER)
        return NULL;
    if (topic_channel(t))
        return topic_channel(t);
    return topic_as_channel(t->name, room);
}

static uint64_t metadata_number(const struct logs_topic *t, const char *key)
{
    const char *text = logs_metadata(t, key);
    uint64_t value = 0;

    if (text)
        parse_count(text, 0, UINT64_MAX, &value);
    return value;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void outlet_clock(struct outlet *out, const struct logs_topic *t)
{
    const char *clock = logs_metadata(t, LOGS_KEY_CLOCK);
    uint64_t number = 0;

    out->clock = CLOCK_MONOTONIC;
    if (clock && !parse_clock(clock, &out->clock) && parse_count(clock, 0, OUTLET_CLOCKS, &number))
        out->clock = (clockid_t)number;
}

/* Channels must hold what any of their topics held. Those of other programs have times of puts. */
static void outlet_learn(struct outlet *out, const struct logs_topic *t)
{
    bool converted = topic_converted(t);

    if (!converted) {
        out->frame_cnt = larger(out->frame_cnt, metadata_number(t, LOGS_KEY_COUNT));
        out->frame_size = larger(out->frame_size, metadata_number(t, LOGS_KEY_SIZE));
    }
    if (out->topic)
        return;
    out->topic = t;
    outlet_clock(out, t);
    out->stamped =
        !logs_metadata(t, LOGS_KEY_TIMESTAMPS) || metadata_number(t, LOGS_KEY_TIMESTAMPS);
    out->device = logs_device(t) != LOGS_NO_DEVICE;
}

static ach_channel_type_t topic_type(const struct logs_topic *t)
{
    return (ach_channel_type_t){.name = t->schema_name,
                                .encoding = t->encoding,
                                .schema_encoding = t->schema_encoding,
                                .schema = t->schema_size ? t->schema : NULL,
                                .schema_size = t->schema_size};
}

/* Messages of devices say themselves what they are. */
static bool topic_typed(const struct logs_topic *t)
{
    return *t->encoding && *t->schema_name && logs_device(t) == LOGS_NO_DEVICE;
}

static bool topic_has_type(const struct logs_topic *t, const ach_channel_type_t *type)
{
    const ach_channel_type_t its = topic_type(t);

    return topic_typed(t) && ach_channel_type_hash(&its) == ach_channel_type_hash(type);
}

/* What its messages are, for a sentence. */
static const char *topic_messages(const struct logs_topic *t, char text[MESSAGES_TEXT])
{
    if (!topic_typed(t))
        return "without a type";
    snprintf(text, MESSAGES_TEXT, "%.*s in '%.*s'", ACH_TYPE_NAME_MAX, t->schema_name,
             ACH_TYPE_NAME_MAX, t->encoding);
    return text;
}

/* Readers of a channel expect one type. False after complaining. */
static bool outlet_shared(const struct outlet *out, const struct logs_topic *t)
{
    const ach_channel_type_t type = topic_type(out->topic);
    char first[MESSAGES_TEXT], second[MESSAGES_TEXT];

    if (topic_typed(out->topic) ? topic_has_type(t, &type) : !topic_typed(t))
        return true;
    tool_complain(
        "the topics '%s' and '%s' cannot be played into one channel '%s': their messages are "
        "%s and %s; choose with --only or --map, also by NAME~TYPE",
        out->topic->name, t->name, out->name, topic_messages(out->topic, first),
        topic_messages(t, second));
    return false;
}

static struct outlet *outlet_new(struct outlets *o, const char *name)
{
    struct outlet **list = realloc(o->list, (o->n + 1) * sizeof(struct outlet *));
    struct outlet *out = calloc(1, sizeof(*out));

    if (list)
        o->list = list;
    if (!list || !out) {
        tool_complain("no memory");
        free(out);
        return NULL;
    }
    strcpy(out->name, name);
    o->list[o->n++] = out;
    return out;
}

static struct outlet *outlet_find(struct outlets *o, const char *name)
{
    size_t i;

    for (i = 0; i < o->n; i++)
        if (strcmp(o->list[i]->name, name) == 0)
            return o->list[i];
    if (strlen(name) >= ACH_CHAN_NAME_MAX) {
        tool_complain("'%.80s' is too long for the name of a channel; --map gives it another one",
                      name);
        return NULL;
    }
    return outlet_new(o, name);
}

bool outlets_add(struct outlets *o, struct logs_topic *t)
{
    char room[ACH_CHAN_NAME_MAX];
    const char *name = NULL;
    struct outlet *out;

    if (t->user)
        return true;
    t->user = &o->skip;
    if (!logs_matches(t, o->options->only, o->options->n_only))
        return true;
    name = outlet_target(o->options, t, room);
    if (!name) {
        o->converted += topic_converted(t);
        return true;
    }
    out = outlet_find(o, name);
    if (!out || (out->topic && !outlet_shared(out, t)))
        return false;
    t->user = out;
    outlet_learn(out, t);
    return true;
}

bool outlet_unmeasured(const struct outlet *o)
{
    return !o->skipped && (!o->frame_cnt || !o->frame_size);
}

/* A message may have been up to the capacity, which is shared by all. */
static void outlet_size(struct outlet *o)
{
    if (!outlet_unmeasured(o))
        return;
    o->frame_cnt = OUTLET_COUNT;
    o->frame_size = (o->largest + OUTLET_ALIGN) / OUTLET_ALIGN * OUTLET_ALIGN;
}

static bool outlet_create(struct outlet *o)
{
    ach_channel_type_t type = topic_type(o->topic);
    ach_create_attr_t attr;
    enum ach_status r;
    uint64_t capacity;

    outlet_size(o);
    if (__builtin_mul_overflow(o->frame_cnt, o->frame_size, &capacity) || capacity > OUTLET_MAX) {
        tool_complain("the log asks for a very large channel '%s'; create it with 'ach mk'",
                      o->name);
        return false;
    }
    ach_create_attr_init(&attr);
    ach_create_attr_set_clock(&attr, o->clock);
    ach_create_attr_set_timestamps(&attr, o->stamped);
    if (topic_typed(o->topic))
        ach_create_attr_set_type(&attr, &type);
    r = ach_create(o->name, o->frame_cnt, o->frame_size, &attr);
    if (r == ACH_OK || r == ACH_EEXIST)
        return true;
    tool_complain("cannot create the channel '%s': %s", o->name, ach_errstr());
    return false;
}

/* A reader that knows the channel's type would misread other messages. */
static bool outlet_fits(struct outlet *o)
{
    const ach_channel_type_t *its;
    char text[MESSAGES_TEXT];

    if (ach_channel_type(&o->chan, &its) != ACH_OK || topic_has_type(o->topic, its))
        return true;
    tool_complain("the channel '%s' has messages %s in '%s', and those of '%s' are %s", o->name,
                  its->name, its->encoding, o->topic->name, topic_messages(o->topic, text));
    return false;
}

/* Most recordings of a robot have channels of devices; they need not be here. */
static bool outlet_absent(struct outlets *o, struct outlet *out)
{
    ach_channel_t chan;
    ach_attr_t attr;
    enum ach_status r;

    if (!out->device || o->options->create)
        return false;
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    r = ach_open(&chan, out->name, &attr);
    if (r == ACH_OK)
        ach_close(&chan);
    out->skipped = r == ACH_ENOENT;
    o->absent += out->skipped;
    return out->skipped;
}

bool outlet_open(struct outlets *o, struct outlet *out)
{
    if (out->skipped || out->opened || outlet_absent(o, out))
        return true;
    if (o->options->create && !outlet_create(out))
        return false;
    out->opened = tool_open_for_put(&out->chan, out->name, "--create");
    return out->opened && outlet_fits(out);
}

bool outlet_put(struct outlet *o, const struct logs_message *m)
{
    const void *data;
    const char *why;
    size_t size;

    if (!logs_bare(m, &data, &size, &why)) {
        tool_complain("the topic '%s' cannot be played: its messages %s; leave it out with --only",
                      m->topic->name, why);
        return false;
    }
    return tool_put(&o->chan, o->name, data, size);
}

void outlets_tell(struct outlets *o)
{
    if (o->told || (!o->converted && !o->absent))
        return;
    o->told = true;
    if (o->converted)
        tool_complain(
            "%u topics were made from the data of devices and are not played; --map plays "
            "one into a channel; ach record --exact records what can be played",
            o->converted);
    if (o->absent)
        tool_complain(
            "%u channels of devices do not exist here, and their messages are not played; "
            "--create creates them",
            o->absent);
}

void outlets_finish(struct outlets *o)
{
    size_t i;

    for (i = 0; i < o->n; i++) {
        if (o->list[i]->opened)
            ach_close(&o->list[i]->chan);
        free(o->list[i]);
    }
    free(o->list);
}
