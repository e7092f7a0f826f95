/* SPDX-License-Identifier: BSD-3-Clause */
/* actuator.h - commands of the page to bases, joints and planners */
#ifndef VIEW_ACTUATOR_H
#define VIEW_ACTUATOR_H

#include <ach/message.h>
#include <stdbool.h>

enum actuator_kind {
    ACTUATOR_STOP,
    ACTUATOR_DRIVE,    /* a base: x forward in m/s, a in rad/s */
    ACTUATOR_POSITION, /* a joint: x */
    ACTUATOR_SPEED,    /* a joint: x */
    ACTUATOR_GOAL,     /* a base or a planner: x, y, a */
};

struct actuator_command {
    enum actuator_kind kind;
    double x, y, a;
    int joint; /* also of the joint to stop */
};

/* Does it move until it is stopped? Then it must be repeated. */
bool actuator_moves(const struct actuator_command *c);

/* A goal is not repeated, and holds until the device is stopped. */
bool actuator_is_goal(const struct actuator_command *c);

/*
 * Send it. ACH_ENOTSUP, after setting ach_errstr: the device has no such command, or refuses it.
 * Waits for the answer of a planner, which is stopped with a request.
 */
struct ach_device;
ach_status_t actuator_send(struct ach_device *device, const struct actuator_command *c);

/* How many joints it has, by its data; 0: not known. Waits for data for half a second at most. */
unsigned actuator_joints(struct ach_device *device);

#endif
