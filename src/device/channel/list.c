/* SPDX-License-Identifier: BSD-3-Clause */
/* list.c - list the devices of a robot, by the names of their channels */
#include <stdlib.h>
#include <string.h>

#include "link.h"
#include "names.h"

struct listing {
    char before[ACH_CHAN_NAME_MAX]; /* prefix of all channel names of the robot */
    ach_device_info_t *devices;
    size_t room, count;
};

/* The name of an interface, or its number if the server did not know the name. */
static bool parse_interface(const char *text, size_t n, uint16_t *code)
{
    char name[ACH_CHAN_NAME_MAX];
    const ach_interface_t *known;
    unsigned long number;
    char *end;

    memcpy(name, text, n);
    name[n] = '\0';
    known = ach_interface_find(name);
    if (known) {
        *code = known->code;
        return true;
    }
    number = strtoul(name, &end, 10);
    *code = (uint16_t)number;
    return end > name && !*end && number <= UINT16_MAX;
}

/* Parse "laser.0.data"; false: not the data channel of a device. */
static bool parse_device(const char *text, ach_address_t *a)
{
    const char *dot = strchr(text, '.');
    unsigned long index;
    char *end;

    if (!dot || !parse_interface(text, (size_t)(dot - text), &a->interf))
        return false;
    index = strtoul(dot + 1, &end, 10);
    a->index = (uint16_t)index;
    return end > dot + 1 && index <= UINT16_MAX && strcmp(end, ".data") == 0;
}

static ach_status_t list_add(void *context, const char *name, enum ach_map map)
{
    struct listing *l = context;
    const size_t n = strlen(l->before);
    ach_address_t a = {0};

    (void)map;
    if (strncmp(name, l->before, n) != 0 || !parse_device(name + n, &a))
        return ACH_OK;
    if (l->count < l->room)
        l->devices[l->count] = (ach_device_info_t){.address = a};
    l->count++;
    return ACH_OK;
}

ach_status_t achi_channel_list(const ach_place_t *place, ach_device_info_t *devices, size_t room,
                               size_t *count)
{
    uint32_t server, robot = place->robot ? place->robot : ACH_ROBOT_DEFAULT;
    struct listing l = {.devices = devices, .room = room};
    ach_status_t status;

    if (!devch_robot_served(robot, &server))
        return ach_errstr_set(ACH_ENOENT,
                              "no server on this machine provides channels for robot %u", robot);
    devch_robot_channel(robot, "", l.before);
    status = ach_list(list_add, &l);
    *count = l.count;
    return status;
}
