/* SPDX-License-Identifier: BSD-3-Clause */
/* device_none.c - a build without devices: their channels are channels as others */
#include "device.h"

struct feed_device *feed_device_new(const char *channel)
{
    (void)channel;
    return NULL;
}

void feed_device_free(struct feed_device *d)
{
    (void)d;
}

const char *feed_device_name(const struct feed_device *d)
{
    (void)d;
    return "";
}

const char *feed_device_address(const struct feed_device *d)
{
    (void)d;
    return "";
}

bool feed_device_promise(const struct feed_device *d, struct feed_device_topic *topic)
{
    (void)d, (void)topic;
    return false;
}

bool feed_device_mounted(const struct feed_device *d)
{
    (void)d;
    return false;
}

bool feed_device_stamp(const void *bytes, size_t size, double *stamp)
{
    (void)bytes, (void)size, (void)stamp;
    return false;
}

bool feed_device_take(struct feed_device *d, const struct feed_device_sink *sink, const void *bytes,
                      size_t size)
{
    (void)d, (void)sink, (void)bytes, (void)size;
    return false;
}

void feed_device_answer(struct feed_device *d, const struct feed_device_sink *sink,
                        const struct ach_message *answer)
{
    (void)d, (void)sink, (void)answer;
}

void feed_device_grid(struct feed_device *d, const struct feed_device_sink *sink,
                      const struct feed_device_map *map)
{
    (void)d, (void)sink, (void)map;
}

bool feed_device_channel(const char *address, char *channel, size_t room)
{
    (void)address, (void)channel, (void)room;
    return false;
}

const struct ach_type *feed_device_table(const char *name)
{
    (void)name;
    return NULL;
}

bool feed_device_definition(const struct ach_type *table, char **name, char **text)
{
    (void)table, (void)name, (void)text;
    return false;
}

bool feed_device_rewrite(const char *name, const char *text, size_t size, char **rewritten)
{
    (void)name, (void)text, (void)size, (void)rewritten;
    return false;
}

bool feed_device_body(const struct ach_type *table, const void *bytes, size_t size,
                      struct feed_cdr *cdr)
{
    (void)table, (void)bytes, (void)size, (void)cdr;
    return false;
}
