/* SPDX-License-Identifier: BSD-3-Clause */
/* domain.h - join a domain, by default on the loopback interface only */
#ifndef ACHDDS_DOMAIN_H
#define ACHDDS_DOMAIN_H

#include <dds/dds.h>
#include <stdbool.h>
#include <stdint.h>

#define ACHDDS_DOMAIN_MAX 232 /* the last one whose ports are valid */

struct achdds_domain {
    uint32_t id;
    const char *interface; /* NULL: loopback */
    const char *config;    /* of Cyclone DDS, in place of ours: XML or file:///PATH; or NULL */
    bool ros2;             /* some topics are of ROS 2 */
};

/*
 * Create the domain and a participant. Negative after complaining. Create no reader or writer
 * before: then none of them has ever got anything from beyond the loopback interface.
 */
dds_entity_t achdds_domain_join(const struct achdds_domain *d);

#endif
