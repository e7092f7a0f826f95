/* SPDX-License-Identifier: BSD-3-Clause */
#include "device.h"

#include <ach/definition.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/channel/names.h"
#include "tables.h"
#include "translate.h"

#define SUFFIX_MAX 64

/* dev.ROBOT.INTERFACE.INDEX.data or .cmd */
static bool device_parse(const char *channel, unsigned *robot, char interface[25], unsigned *index,
                         uint8_t *type)
{
    char what[5] = "";
    int end = 0;

    if (sscanf(channel, "dev.%9u.%24[^.].%9u.%4s%n", robot, interface, index, what, &end) != 4 ||
        channel[end])
        return false;
    *type = strcmp(what, "data") == 0 ? ACH_MSG_DATA : ACH_MSG_CMD;
    return *type == ACH_MSG_DATA || strcmp(what, "cmd") == 0;
}

static bool device_moves(const ach_interface_t *i)
{
    return i->code == ACH_POSITION2D_CODE || i->code == ACH_POSITION3D_CODE;
}

/* The frames of ach-ros; those of further robots of this machine begin with the robot's number. */
static void device_frames(struct feed_device *d, unsigned robot, unsigned index)
{
    const char *kind = d->interface->name;
    char prefix[12] = "", own[40] = "";

    if (robot != ACH_ROBOT_DEFAULT)
        snprintf(prefix, sizeof(prefix), "%u/", robot);
    if (index > 0)
        snprintf(own, sizeof(own), "%s%u/", kind, index);
    snprintf(d->frame, sizeof(d->frame), "%.11s%.24s%.11s", prefix, own, kind);
    if (!device_moves(d->interface))
        own[0] = '\0';
    snprintf(d->odom, sizeof(d->odom), "%.11s%.30sodom", prefix, own);
    snprintf(d->base, sizeof(d->base), "%.11s%.25sbase_link", prefix, own);
    snprintf(d->map, sizeof(d->map), "%.11smap", prefix);
}

struct feed_device *feed_device_new(const char *channel)
{
    char interface[25];
    unsigned robot, index;
    uint8_t type;
    struct feed_device *d;
    const ach_interface_t *known;

    if (!device_parse(channel, &robot, interface, &index, &type))
        return NULL;
    known = ach_interface_find(interface);
    d = known ? calloc(1, sizeof(*d)) : NULL;
    if (!d)
        return NULL;
    d->interface = known;
    d->robot = robot;
    d->index = index;
    d->type = type;
    snprintf(d->address, sizeof(d->address), "%u:%s:%u", robot, interface, index);
    snprintf(d->name, sizeof(d->name), "%s",
             robot == ACH_ROBOT_DEFAULT ? strchr(d->address, ':') + 1 : d->address);
    device_frames(d, robot, index);
    return d;
}

void feed_device_free(struct feed_device *d)
{
    if (d)
        free(d->body);
    free(d);
}

const char *feed_device_name(const struct feed_device *d)
{
    return d->name;
}

const char *feed_device_address(const struct feed_device *d)
{
    return d->address;
}

bool feed_device_promise(const struct feed_device *d, struct feed_device_topic *topic)
{
    *topic = (struct feed_device_topic){.suffix = "map", .ros = &feed_ros_grid, .keep = true};
    return d->interface->code == ACH_MAP_CODE && d->type == ACH_MSG_DATA;
}

bool feed_device_mounted(const struct feed_device *d)
{
    return d->type == ACH_MSG_DATA &&
           (d->interface->code == ACH_LASER_CODE || d->interface->code == ACH_RANGER_CODE);
}

/* "STATE" of data is state, "VEL" of commands cmd_vel. */
static void device_emit_fields(const struct feed_translation *t, const ach_message_def_t *def,
                               const void *body)
{
    struct feed_device_topic topic = {.table = def->body};
    char suffix[SUFFIX_MAX];
    size_t size, i;
    uint8_t *to;

    if (ach_cdr_encoded_size(def->body, body, &size) != ACH_OK)
        return;
    feed_cdr_begin(t->cdr);
    to = feed_cdr_take(t->cdr, 1, size);
    if (!to || ach_cdr_encode(def->body, body, to, size, &size) != ACH_OK)
        return;
    snprintf(suffix, sizeof(suffix), "%s%s", def->type == ACH_MSG_CMD ? "cmd_" : "", def->name);
    for (i = 0; suffix[i]; i++)
        suffix[i] = (char)tolower((unsigned char)suffix[i]);
    topic.suffix = suffix;
    t->sink->emit(t->sink->context, &topic);
}

static feed_translate_fun *device_find_rule(const struct feed_device *d, uint8_t subtype)
{
    static const struct feed_rule *const tables[] = {feed_rules_scan, feed_rules_pose,
                                                     feed_rules_image, feed_rules_state};
    const struct feed_rule *r;
    size_t i;

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (r = tables[i]; r->translate; r++)
            if (r->interface == d->interface->code && r->subtype == subtype)
                return r->translate;
    return NULL;
}

/* Decode into the device's memory. */
static bool device_decode_body(struct feed_device *d, const ach_type_t *table, const void *bytes,
                               size_t size)
{
    size_t needed;
    void *more;

    if (ach_decoded_size(table, bytes, size, &needed) != ACH_OK)
        return false;
    if (needed > d->room) {
        more = realloc(d->body, needed);
        if (!more)
            return false;
        d->body = more;
        d->room = needed;
    }
    return ach_decode(table, bytes, size, d->body, d->room) == ACH_OK;
}

bool feed_device_stamp(const void *bytes, size_t size, double *stamp)
{
    ach_header_t h;
    uint32_t body;

    if (size < ACH_FRAME_HEADER || ach_frame_read(bytes, &h, &body) != ACH_OK)
        return false;
    *stamp = h.timestamp;
    return true;
}

bool feed_device_take(struct feed_device *d, const struct feed_device_sink *sink, const void *bytes,
                      size_t size)
{
    struct feed_translation t = {.device = d, .sink = sink, .cdr = sink->cdr};
    feed_translate_fun *translate = NULL;
    const ach_message_def_t *def;
    ach_header_t h;
    uint32_t body;

    if (size < ACH_FRAME_HEADER || ach_frame_read(bytes, &h, &body) != ACH_OK ||
        body != size - ACH_FRAME_HEADER || h.address.interf != d->interface->code ||
        h.type != d->type)
        return false;
    def = ach_interface_message(d->interface, h.type, h.subtype);
    if (!def)
        return false;
    t.stamp = h.timestamp;
    if (!def->body || body == 0)
        return true;
    if (!device_decode_body(d, def->body, (const char *)bytes + ACH_FRAME_HEADER, body))
        return false;
    if (h.type == ACH_MSG_DATA)
        translate = device_find_rule(d, h.subtype);
    if (!translate || !translate(&t, d->body))
        device_emit_fields(&t, def, d->body);
    return true;
}

void feed_device_answer(struct feed_device *d, const struct feed_device_sink *sink,
                        const ach_message_t *answer)
{
    const ach_header_t *h = ach_message_header(answer);
    const struct feed_translation t = {
        .device = d, .sink = sink, .cdr = sink->cdr, .stamp = h->timestamp};
    const void *body = ach_message_body(answer);

    if (!body || h->type != ACH_MSG_ACK || h->address.interf != d->interface->code)
        return;
    if (h->address.interf == ACH_LASER_CODE && h->subtype == ACH_LASER_REQ_GET_GEOM)
        feed_translate_mounted(&t, &((const ach_laser_geom_t *)body)->pose);
    if (h->address.interf == ACH_RANGER_CODE && h->subtype == ACH_RANGER_REQ_GET_GEOM)
        feed_translate_mounted(&t, &((const ach_ranger_geom_t *)body)->pose);
    if (h->address.interf == ACH_RANGER_CODE && h->subtype == ACH_RANGER_REQ_GET_CONFIG)
        d->ranger = *(const ach_ranger_config_t *)body;
}

void feed_device_grid(struct feed_device *d, const struct feed_device_sink *sink,
                      const struct feed_device_map *map)
{
    const struct feed_translation t = {
        .device = d, .sink = sink, .cdr = sink->cdr, .stamp = map->stamp};
    const ach_pose2d_t origin = {.px = map->x, .py = map->y, .pa = map->angle};

    feed_cdr_begin(t.cdr);
    feed_part_header(&t, d->map);
    feed_part_time(t.cdr, map->stamp);
    feed_cdr_f32(t.cdr, map->scale);
    feed_cdr_u32(t.cdr, map->width);
    feed_cdr_u32(t.cdr, map->height);
    feed_part_pose2d(t.cdr, &origin);
    feed_cdr_bytes(t.cdr, map->cells, map->width * map->height);
    feed_translate_keep(&t, "map", &feed_ros_grid);
}

/* Without a robot it is the one in ACH_ROBOT, as for ach_device_open. */
static uint32_t device_robot(const ach_place_t *place)
{
    const char *text = secure_getenv("ACH_ROBOT");
    unsigned long named = text ? strtoul(text, NULL, 10) : 0;

    if (place->robot)
        return place->robot;
    return named && named <= UINT32_MAX ? (uint32_t)named : ACH_ROBOT_DEFAULT;
}

bool feed_device_channel(const char *address, char *channel, size_t room)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_address_t a;
    ach_place_t p;

    if (!strchr(address, ':') || ach_place_parse(address, &p) != ACH_OK || *p.host || *p.key)
        return false;
    a = (ach_address_t){.interf = p.interf, .index = p.index};
    devch_device_channel(device_robot(&p), &a, "data", name);
    snprintf(channel, room, "%s", name);
    return true;
}

const ach_type_t *feed_device_table(const char *name)
{
    return value_interface_type(name);
}

bool feed_device_definition(const ach_type_t *table, char **name, char **text)
{
    return ach_definition_write(table, name, text) == ACH_OK;
}

bool feed_device_rewrite(const char *name, const char *text, size_t size, char **rewritten)
{
    ach_definition_t *definition;
    char *ours = NULL;
    bool ok;

    if (ach_definition_new(name, text, size, &definition) != ACH_OK)
        return false;
    ok = ach_definition_write(ach_definition_type(definition), &ours, rewritten) == ACH_OK;
    ach_definition_free(definition);
    free(ours);
    return ok;
}

bool feed_device_body(const ach_type_t *table, const void *bytes, size_t size, struct feed_cdr *cdr)
{
    size_t needed;
    void *body;
    uint8_t *to;
    bool ok = false;

    if (ach_decode_new(table, bytes, size, &body) != ACH_OK)
        return false;
    feed_cdr_begin(cdr);
    if (ach_cdr_encoded_size(table, body, &needed) == ACH_OK) {
        to = feed_cdr_take(cdr, 1, needed);
        ok = to && ach_cdr_encode(table, body, to, needed, &needed) == ACH_OK;
    }
    free(body);
    return ok;
}
