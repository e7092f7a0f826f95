/* SPDX-License-Identifier: BSD-3-Clause */
/* qos.h - the quality of service of a topic, with the profiles of ROS 2 */
#ifndef ACHDDS_QOS_H
#define ACHDDS_QOS_H

#include <dds/dds.h>
#include <stdbool.h>
#include <stdint.h>

/* History is always KEEP_LAST: a slow reader never delays a writer. */
struct achdds_qos {
    bool reliable;        /* else best effort */
    bool transient_local; /* a late reader gets the last messages; else volatile */
    int32_t depth;        /* of the history */
    const char *partition;
};

/*
 * A profile of ROS 2 by its name: default, sensor, parameters. False after complaining. Leaves the
 * partition alone.
 */
bool achdds_qos_profile(struct achdds_qos *q, const char *name);

/* For readers and writers; dds_delete_qos frees it. */
dds_qos_t *achdds_qos_new(const struct achdds_qos *q);

/* The policy that keeps a reader and a writer apart. */
const char *achdds_qos_policy(uint32_t id);

#endif
