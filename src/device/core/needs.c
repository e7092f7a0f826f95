/* SPDX-License-Identifier: BSD-3-Clause */
/* needs.c - find the devices that drivers require of each other */
#include <ach.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

static bool this_machine(const char *host)
{
    return !*host || strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0;
}

/* The number of a host in an address: its IPv4 address, or a hash of its name. */
static uint32_t host_number(const char *host)
{
    unsigned a, b, c, d;
    uint32_t hash = 2166136261u;
    char end;

    if (this_machine(host))
        return 0x0100007f;
    if (sscanf(host, "%u.%u.%u.%u%c", &a, &b, &c, &d, &end) == 4 && (a | b | c | d) < 256)
        return a | b << 8 | c << 16 | d << 24;
    while (*host)
        hash = (hash ^ (unsigned char)*host++) * 16777619u;
    return hash | 0xf0; /* in the reserved range 240.0.0.0/4, so no real host has it */
}

/*
 * The address of a required device, before its provider is known. On this machine
 * robot and index identify it; on another machine the host does as well.
 */
ach_address_t dev_need_address(const ach_robot_t *robot, const ach_place_t *p)
{
    bool near = this_machine(p->host);
    ach_address_t a = {.interf = p->interf, .index = p->index, .robot = p->robot};

    if (near && (p->robot == robot->attr.robot || (!p->robot && !*p->host)))
        a.robot = 0;
    else if (!p->robot)
        a.robot = ACH_ROBOT_DEFAULT;
    if (!near)
        a.host = host_number(p->host);
    return a;
}

static ach_status_t make_remote(ach_robot_t *robot, struct dev_need *n)
{
    ach_driver_t *remote;
    ach_status_t status = dev_driver_create(robot, &dev_remote, NULL, &remote);

    if (status != ACH_OK)
        return status;
    dev_remote_set(remote->state, &n->place, &n->address);
    status = dev_device_add(robot, remote, &n->address, true);
    n->device = dev_device_find(robot, &n->address);
    return status;
}

/* In the process of one driver, the outlet provides the devices of all other drivers. */
static ach_status_t make_outside(ach_robot_t *robot, struct dev_need *n)
{
    ach_status_t status = dev_device_add(robot, robot->outlet, &n->address, true);

    n->device = dev_device_find(robot, &n->address);
    return status;
}

/* The driver's place in the config file. A driver for a remote device has no options. */
static const char *file_of(const ach_driver_t *d)
{
    return d->options ? ach_section_file(d->options) : "";
}

static int line_of(const ach_driver_t *d)
{
    return d->options ? ach_section_line(d->options) : 0;
}

static ach_status_t needs_resolve(ach_driver_t *d, struct dev_need *n)
{
    char text[ACH_ADDRESS_MAX];

    n->device = dev_device_find(d->robot, &n->address);
    if (n->device)
        return ACH_OK;
    if (d->robot->outlet)
        return make_outside(d->robot, n);
    if (n->address.host || n->address.robot)
        return make_remote(d->robot, n);
    return ach_errstr_set(ACH_ENOENT, "%s:%d: driver %s requires %s, which no driver provides",
                          file_of(d), line_of(d), d->class->name,
                          ach_address_text(&n->address, text));
}

static ach_status_t needs_find(ach_driver_t *d, struct dev_need *n)
{
    ach_status_t status = needs_resolve(d, n);

    if (status == ACH_OK && dev_driver_inline(d))
        n->device->inlined = true;
    return status;
}

/* A path of drivers, each of which requires the next. */
struct path {
    const struct path *before;
    const ach_driver_t *driver;
    const struct dev_need *by; /* the previous driver's need that it provides; NULL: the first */
};

/* Append a driver and its place in the file, after the device through which it is required. */
static void write_driver(const ach_driver_t *d, const struct dev_need *by, char *text, size_t size)
{
    size_t used = strlen(text);
    char device[ACH_ADDRESS_MAX] = "";

    if (by)
        ach_address_text(&by->address, device);
    snprintf(text + used, size - used, "%s%s%s%s (%s:%d)", by ? " -> " : "", device,
             by ? " of " : "", d->class->name, file_of(d), line_of(d));
}

/* Append the part of the path that starts at a driver. */
static void needs_write_path(const struct path *p, const ach_driver_t *from, char *text,
                             size_t size)
{
    if (p->before && p->driver != from)
        needs_write_path(p->before, from, text, size);
    write_driver(p->driver, p->driver == from ? NULL : p->by, text, size);
}

static ach_status_t circle(const struct path *p, const ach_driver_t *d, const struct dev_need *by)
{
    char text[400] = "";

    needs_write_path(p, d, text, sizeof(text));
    write_driver(d, by, text, sizeof(text));
    return ach_errstr_set(ACH_EINVAL, "drivers require each other in a circle: %s", text);
}

static ach_status_t follow(const struct path *before, ach_driver_t *d, const struct dev_need *by)
{
    const struct path so_far = {before, d, by};
    ach_status_t status = ACH_OK;
    const struct dev_need *n;

    if (before && d->followed == DEV_ON_PATH)
        return circle(before, d, by);
    if (d->followed == DEV_NO_CIRCLE)
        return ACH_OK;
    d->followed = DEV_ON_PATH;
    for (n = d->needs; n && status == ACH_OK; n = n->next)
        status = follow(&so_far, n->device->driver, n);
    d->followed = DEV_NO_CIRCLE;
    return status;
}

ach_status_t dev_needs_resolve(ach_robot_t *robot)
{
    ach_status_t status = ACH_OK;
    struct dev_need *n;
    ach_driver_t *d;

    for (d = robot->drivers; d && status == ACH_OK; d = d->next)
        for (n = d->needs; n && status == ACH_OK; n = n->next)
            status = n->device ? ACH_OK : needs_find(d, n);
    for (d = robot->drivers; d && status == ACH_OK; d = d->next)
        status = follow(NULL, d, NULL);
    return status;
}
