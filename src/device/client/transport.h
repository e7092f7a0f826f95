/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transport.h - the transports to a device
 *
 * A transport is a table of functions and a state of its own. `get` returns data of
 * any subtype; device.c keeps subtypes that the caller did not ask for.
 */
#ifndef DEVCL_TRANSPORT_H
#define DEVCL_TRANSPORT_H

#include <ach/device.h>
#include <ach/transport.h>

struct devcl_transport_ops {
    const char *name;

    /* As ach_device_get, for any subtype; *missed: how many were lost before it. */
    ach_status_t (*get)(void *state, double timeout, int options, ach_message_t **m,
                        uint64_t *missed);
    ach_status_t (*command)(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body);
    ach_status_t (*request)(void *state, const ach_header_t *h, const ach_type_t *type,
                            const void *body, double timeout, ach_message_t **answer);
    ach_status_t (*flush)(void *state, double seconds);
    ach_status_t (*inherit)(void *state, double timeout); /* in a child of fork; NULL: unusable */
    int (*fd)(void *state);
    unsigned (*rights)(const void *state); /* NULL: all */
    void (*close)(void *state);
};

/* The ops of a device handle, and its state. */
struct devcl_transport {
    const struct devcl_transport_ops *ops;
    const char *name; /* of the transport */
    void *state;
};

/* In this process. */
ach_status_t devcl_transport_robot(const ach_place_t *place, const ach_device_attr_t *attr,
                                   struct devcl_transport *t);

/* Through channels. */
ach_status_t devcl_transport_channel(const ach_place_t *place, const ach_device_attr_t *attr,
                                     struct devcl_transport *t);

/* Through any other transport. */
ach_status_t devcl_transport_link(const ach_transport_class_t *transport, const ach_place_t *place,
                                  const ach_device_attr_t *attr, struct devcl_transport *t);

#endif
