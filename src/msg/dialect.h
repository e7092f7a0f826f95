/* SPDX-License-Identifier: BSD-3-Clause */
/* dialect.h - definitions as ROS 1 and ROS 2 write them */
#ifndef MSG_DIALECT_H
#define MSG_DIALECT_H

#include <stdio.h>

#include "parse.h"
#include "resolve.h"

/* The section std_msgs/Header if it has no `seq`, which it has in ROS 1; -1: there is none. */
int msg_dialect_header(const struct msg_text *t);

/* As msg_resolve; Time and Duration of builtin_interfaces are not sections even if defined. */
struct msg_reference msg_dialect_resolve(const struct msg_text *t, const struct msg_field *f,
                                         const struct msg_section *user);

/* Write a line for a field or a constant. */
void msg_dialect_field(const struct msg_text *t, const struct msg_section *user,
                       const struct msg_field *f, int ros, FILE *to);

#endif
