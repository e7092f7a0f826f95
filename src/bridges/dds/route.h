/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * route.h - a channel and its topic
 *
 * A route pushes (messages of the channel become samples), pulls (samples become messages), or does
 * both. One thread uses it; listeners of Cyclone DDS only write to `wake`, count arrivals and
 * complain.
 *
 * Messages that were pulled carry the topic as their origin, if the channel is relayed. No route
 * pushes such a message to that topic again, in this process or another one.
 */
#ifndef ACHDDS_ROUTE_H
#define ACHDDS_ROUTE_H

#include <ach.h>
#include <ach/definition.h>
#include <dds/dds.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "names.h"
#include "qos.h"

enum achdds_direction { ACHDDS_PUSH = 1, ACHDDS_PULL = 2, ACHDDS_BOTH = 3 };
enum achdds_naming { ACHDDS_BY_TYPE, ACHDDS_ROS2, ACHDDS_PLAIN };

struct achdds_counts {
    uint64_t messages, bytes;
    uint64_t missed;  /* overwritten or skipped before they were passed on */
    uint64_t refused; /* not of the type, or too large */
};

struct achdds_route {
    /* Set before achdds_route_open. */
    char *channel; /* to be freed */
    char *topic;   /* as given, to be freed; NULL: the channel's name */
    enum achdds_direction direction;
    enum achdds_naming naming;
    struct achdds_qos qos;

    bool ros2; /* names of ROS 2; achdds_route_open sets it */
    char topic_name[ACHDDS_NAME_MAX], type_name[ACHDDS_NAME_MAX];
    ach_definition_t *definition; /* NULL: messages are bytes */
    const ach_type_t *type;
    ach_channel_t source, sink; /* pushed from, pulled into */
    bool started;               /* achdds_push was called */
    bool relayed;
    uint64_t capacity;     /* of the channel */
    uint64_t topic_number; /* the origin of messages that were pulled */
    const struct ddsi_sertype *sertype;
    dds_entity_t writer, reader;
    int wake; /* eventfd: the reader may have samples */
    atomic_ullong arrivals;
    uint64_t taken; /* of the arrivals */
    struct achdds_counts pushed, pulled;
};

/* Open the channel and decide the names. False after complaining. */
bool achdds_route_open(struct achdds_route *r);

/* Create topic, writer and reader. False after complaining. */
bool achdds_route_join(struct achdds_route *r, dds_entity_t participant, uint32_t domain);

/* Refuse a message, for the reason in ach_errstr. Only the first of each direction is reported. */
void achdds_route_refuse(struct achdds_counts *c, const char *from);

/* Write what was counted. Pull before, because samples that were not taken count as missed. */
void achdds_route_report(struct achdds_route *r, FILE *to);

/* Call it after the domain was deleted. */
void achdds_route_close(struct achdds_route *r);

#endif
