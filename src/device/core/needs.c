/* SPDX-License-Identifier: BSD-3-Clause */
/* needs.c - the devices that drivers require of each other */
#include <ach.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

static void answered(void *context, const ach_address_t *address, ach_status_t status,
                     const char *why)
{
    ach_driver_t *d = context;
    char text[ACH_ADDRESS_MAX];

    d->answered = true;
    d->answer = status;
    snprintf(d->why, sizeof(d->why), "%.60s, which it requires: %.290s",
             ach_address_text(address, text), why);
    pthread_cond_broadcast(&d->robot->changed);
}

static ach_status_t await(ach_driver_t *d, bool *said)
{
    ach_status_t status;

    pthread_mutex_lock(&d->robot->lock);
    while (!d->answered && !d->quit)
        pthread_cond_wait(&d->robot->changed, &d->robot->lock);
    *said = d->answered;
    status = d->answered ? d->answer : ACH_CANCELED;
    pthread_mutex_unlock(&d->robot->lock);
    return status;
}

static ach_status_t subscribe(ach_driver_t *d, struct achi_need *n)
{
    ach_status_t status;
    bool said;

    d->answered = false;
    status = ach_robot_subscribe(d->robot, &n->device->address, d->queue, answered, d);
    if (status != ACH_OK)
        return status;
    status = await(d, &said);
    n->subscribed = status == ACH_OK || !said;
    if (status != ACH_OK)
        ach_errstr_set(status, "%s", said ? d->why : "the robot ends");
    return status;
}

ach_status_t achi_needs_subscribe(ach_driver_t *d)
{
    struct achi_need *n;

    for (n = d->needs; n; n = n->next) {
        ach_status_t status = subscribe(d, n);

        if (status != ACH_OK)
            return status;
    }
    return ACH_OK;
}

void achi_needs_unsubscribe(ach_driver_t *d)
{
    struct achi_need *n;

    for (n = d->needs; n; n = n->next) {
        if (n->subscribed)
            ach_robot_unsubscribe(d->robot, &n->device->address, d->queue);
        n->subscribed = false;
    }
}

static bool this_machine(const char *host)
{
    return !*host || strcmp(host, "localhost") == 0 || strcmp(host, "127.0.0.1") == 0;
}

/* A number for a host that has none here: a table's address must tell them apart. */
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
    return hash | 0xf0; /* as 240.0.0.0: nobody's */
}

/*
 * What a driver calls a device that it requires, before anybody knows who
 * provides it: on this machine by robot and index, elsewhere by host as well.
 */
ach_address_t achi_need_address(const ach_robot_t *robot, const ach_place_t *p)
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

static ach_status_t make_remote(ach_robot_t *robot, struct achi_need *n)
{
    ach_driver_t *remote;
    ach_status_t status = achi_driver_create(robot, &achi_remote, NULL, &remote);

    if (status != ACH_OK)
        return status;
    achi_remote_set(remote->state, &n->place, &n->address);
    status = achi_device_add(robot, remote, &n->address, true);
    n->device = achi_device_find(robot, &n->address);
    return status;
}

/* In the process of one driver, all others are elsewhere. */
static ach_status_t make_outside(ach_robot_t *robot, struct achi_need *n)
{
    ach_status_t status = achi_device_add(robot, robot->outlet, &n->address, true);

    n->device = achi_device_find(robot, &n->address);
    return status;
}

/* Where the config file has it; a driver without options is made for another server's device. */
static const char *file_of(const ach_driver_t *d)
{
    return d->options ? ach_section_file(d->options) : "";
}

static int line_of(const ach_driver_t *d)
{
    return d->options ? ach_section_line(d->options) : 0;
}

static ach_status_t resolve(ach_driver_t *d, struct achi_need *n)
{
    char text[ACH_ADDRESS_MAX];

    n->device = achi_device_find(d->robot, &n->address);
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

static ach_status_t find(ach_driver_t *d, struct achi_need *n)
{
    ach_status_t status = resolve(d, n);

    if (status == ACH_OK && achi_driver_inline(d))
        n->device->inlined = true;
    return status;
}

/* From one driver to the next that it requires. */
struct path {
    const struct path *before;
    const ach_driver_t *driver;
    const struct achi_need *by; /* of the driver before, which it provides; NULL: the first */
};

/* A driver and its place, behind the device that led to it. */
static void write_driver(const ach_driver_t *d, const struct achi_need *by, char *text, size_t size)
{
    size_t used = strlen(text);
    char device[ACH_ADDRESS_MAX] = "";

    if (by)
        ach_address_text(&by->address, device);
    snprintf(text + used, size - used, "%s%s%s%s (%s:%d)", by ? " -> " : "", device,
             by ? " of " : "", d->class->name, file_of(d), line_of(d));
}

/* From a driver to the path's end. */
static void write_path(const struct path *p, const ach_driver_t *from, char *text, size_t size)
{
    if (p->before && p->driver != from)
        write_path(p->before, from, text, size);
    write_driver(p->driver, p->driver == from ? NULL : p->by, text, size);
}

static ach_status_t circle(const struct path *p, const ach_driver_t *d, const struct achi_need *by)
{
    char text[400] = "";

    write_path(p, d, text, sizeof(text));
    write_driver(d, by, text, sizeof(text));
    return ach_errstr_set(ACH_EINVAL, "drivers require each other in a circle: %s", text);
}

static ach_status_t follow(const struct path *before, ach_driver_t *d, const struct achi_need *by)
{
    const struct path so_far = {before, d, by};
    ach_status_t status = ACH_OK;
    const struct achi_need *n;

    if (before && d->followed == ACHI_ON_PATH)
        return circle(before, d, by);
    if (d->followed == ACHI_NO_CIRCLE)
        return ACH_OK;
    d->followed = ACHI_ON_PATH;
    for (n = d->needs; n && status == ACH_OK; n = n->next)
        status = follow(&so_far, n->device->driver, n);
    d->followed = ACHI_NO_CIRCLE;
    return status;
}

ach_status_t achi_needs_resolve(ach_robot_t *robot)
{
    ach_status_t status = ACH_OK;
    struct achi_need *n;
    ach_driver_t *d;

    for (d = robot->drivers; d && status == ACH_OK; d = d->next)
        for (n = d->needs; n && status == ACH_OK; n = n->next)
            status = n->device ? ACH_OK : find(d, n);
    for (d = robot->drivers; d && status == ACH_OK; d = d->next)
        status = follow(NULL, d, NULL);
    return status;
}
