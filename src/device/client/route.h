/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * route.h - the ways to a device
 *
 * A route is a table of functions and a state of its own. Data that a route hands
 * out is of any subtype; device.c keeps what is asked for later.
 */
#ifndef ACHI_ROUTE_H
#define ACHI_ROUTE_H

#include <ach/device.h>
#include <ach/transport.h>

struct achi_route {
    const char *name;

    /* As ach_device_get, for any subtype; *missed: how many were lost before it. */
    ach_status_t (*get)(void *state, double timeout, int options, ach_message_t **m,
                        uint64_t *missed);
    ach_status_t (*command)(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body);
    ach_status_t (*request)(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body, double timeout, ach_message_t **answer);
    ach_status_t (*flush)(void *state, double seconds); /* NULL: commands have arrived already */
    bool lasting; /* commands arrive also if close follows without a flush */
    int (*fd)(void *state);
    unsigned (*rights)(const void *state); /* NULL: all */
    void (*close)(void *state);
};

/* What a device handle has of its route. */
struct achi_way {
    const struct achi_route *route;
    const char *name; /* of the transport */
    void *state;
};

/* In this process. */
ach_status_t achi_way_robot(const ach_place_t *place, const ach_device_attr_t *attr,
                            struct achi_way *way);

/* Through channels. */
ach_status_t achi_way_channel(const ach_place_t *place, const ach_device_attr_t *attr,
                              struct achi_way *way);

/* Through any other transport. */
ach_status_t achi_way_link(const ach_transport_class_t *transport, const ach_place_t *place,
                           const ach_device_attr_t *attr, struct achi_way *way);

#endif
