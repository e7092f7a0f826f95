/* SPDX-License-Identifier: BSD-3-Clause */
#include "outlet.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"

bool outlets_init(struct outlets *o, size_t max)
{
    o->n = 0;
    o->list = calloc(max, sizeof(*o->list));
    return o->list != NULL;
}

bool map_is_for(const char *map, const char *channel)
{
    size_t n = strlen(channel);

    return strncmp(map, channel, n) == 0 && map[n] == '=';
}

/* The channel to play a log into, according to --to and --map. */
static const char *target(const char *channel, const struct replay_options *options)
{
    size_t i;

    if (options->to)
        return options->to;
    for (i = 0; i < options->n_maps; i++)
        if (map_is_for(options->maps[i], channel))
            return options->maps[i] + strlen(channel) + 1;
    return channel;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

struct outlet *outlets_add(struct outlets *o, const struct log_info *info,
                           const struct replay_options *options)
{
    const char *name = target(info->channel, options);
    struct outlet *out;

    for (out = o->list; out < o->list + o->n; out++) {
        if (strcmp(out->name, name) == 0) {
            out->like.frame_cnt = larger(out->like.frame_cnt, info->frame_cnt);
            out->like.frame_size = larger(out->like.frame_size, info->frame_size);
            return out;
        }
    }
    if (strlen(name) >= sizeof(out->name)) {
        tool_complain("'%s' is too long for the name of a channel", name);
        return NULL;
    }
    strcpy(out->name, name);
    out->like = *info;
    o->n++;
    return out;
}

/* Limit the size: a log is not trusted. */
static bool make(const struct outlet *o)
{
    ach_create_attr_t attr;
    enum ach_status r;
    uint64_t capacity;

    if (__builtin_mul_overflow(o->like.frame_cnt, o->like.frame_size, &capacity) ||
        capacity > LOG_MESSAGE_MAX) {
        tool_complain("the log asks for a very large channel '%s'; create it with 'ach mk'",
                      o->name);
        return false;
    }
    ach_create_attr_init(&attr);
    ach_create_attr_set_clock(&attr, (clockid_t)o->like.clock);
    ach_create_attr_set_timestamps(&attr, o->like.stamped);
    r = ach_create(o->name, o->like.frame_cnt, o->like.frame_size, &attr);
    if (r == ACH_OK || r == ACH_EEXIST)
        return true;
    tool_complain("cannot create the channel '%s': %s", o->name, ach_errstr());
    return false;
}

bool outlets_open(struct outlets *o, bool create)
{
    struct outlet *out;

    for (out = o->list; out < o->list + o->n; out++) {
        if (create && !make(out))
            return false;
        out->opened = tool_open_for_put(&out->chan, out->name, "--create");
        if (!out->opened)
            return false;
    }
    return true;
}

bool outlet_put(struct outlet *o, const void *data, size_t size)
{
    return tool_put(&o->chan, o->name, data, size);
}

void outlets_finish(struct outlets *o)
{
    struct outlet *out;

    for (out = o->list; out && out < o->list + o->n; out++)
        if (out->opened)
            ach_close(&out->chan);
    free(o->list);
}
