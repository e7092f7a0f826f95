/* SPDX-License-Identifier: BSD-3-Clause */
#include "actuator.h"

#include <ach/proxies.h>

#define ANSWER_SECONDS 1.0
#define DATA_SECONDS 0.5

bool actuator_moves(const struct actuator_command *c)
{
    return (c->kind == ACTUATOR_DRIVE && (c->x < 0 || c->x > 0 || c->a < 0 || c->a > 0)) ||
           (c->kind == ACTUATOR_SPEED && (c->x < 0 || c->x > 0));
}

bool actuator_is_goal(const struct actuator_command *c)
{
    return c->kind == ACTUATOR_GOAL || c->kind == ACTUATOR_POSITION;
}

static ach_status_t actuator_unknown(void)
{
    return ach_errstr_set(ACH_ENOTSUP, "this device has no such command");
}

static ach_status_t actuator_base(ach_device_t *device, const struct actuator_command *c)
{
    const ach_position2d_cmd_vel_t vel = {.vel = {.px = c->x, .pa = c->a}, .state = 1};
    const ach_position2d_cmd_pos_t pos = {.pos = {.px = c->x, .py = c->y, .pa = c->a}, .state = 1};

    if (c->kind == ACTUATOR_GOAL)
        return ach_position2d_tell_pos(device, &pos);
    if (c->kind == ACTUATOR_DRIVE || c->kind == ACTUATOR_STOP)
        return ach_position2d_tell_vel(device, &vel);
    return actuator_unknown();
}

static ach_status_t actuator_array(ach_device_t *device, const struct actuator_command *c)
{
    const ach_actarray_position_cmd_t pos = {.joint = c->joint, .position = (float)c->x};
    const ach_actarray_speed_cmd_t speed = {.joint = c->joint, .speed = (float)c->x};

    if (c->kind == ACTUATOR_POSITION)
        return ach_actarray_tell_pos(device, &pos);
    if (c->kind == ACTUATOR_SPEED || c->kind == ACTUATOR_STOP)
        return ach_actarray_tell_speed(device, &speed);
    return actuator_unknown();
}

static ach_status_t actuator_single(ach_device_t *device, const struct actuator_command *c)
{
    const ach_position1d_cmd_pos_t pos = {.pos = (float)c->x, .state = 1};
    const ach_position1d_cmd_vel_t vel = {.vel = (float)c->x, .state = 1};

    if (c->kind == ACTUATOR_POSITION)
        return ach_position1d_tell_pos(device, &pos);
    if (c->kind == ACTUATOR_SPEED || c->kind == ACTUATOR_STOP)
        return ach_position1d_tell_vel(device, &vel);
    return actuator_unknown();
}

static ach_status_t planner_enable(ach_device_t *device, uint8_t state)
{
    const ach_planner_enable_req_t enable = {.state = state};

    return ach_planner_ask_enable(device, &enable, ANSWER_SECONDS, NULL);
}

/*
 * A stop disables the planner, so a goal must enable it again: after the goal has arrived, or it
 * would go on to the old one. Planners that cannot be disabled refuse the request.
 */
static ach_status_t planner_go(ach_device_t *device, const ach_planner_cmd_t *goal)
{
    ach_status_t status = ach_planner_tell_goal(device, goal);

    if (status == ACH_OK)
        status = ach_device_flush(device, ANSWER_SECONDS);
    if (status != ACH_OK)
        return status;
    status = planner_enable(device, 1);
    return status == ACH_ENOTSUP ? ACH_OK : status;
}

static ach_status_t actuator_planner(ach_device_t *device, const struct actuator_command *c)
{
    const ach_planner_cmd_t goal = {.goal = {.px = c->x, .py = c->y, .pa = c->a}};

    if (c->kind == ACTUATOR_GOAL)
        return planner_go(device, &goal);
    return c->kind == ACTUATOR_STOP ? planner_enable(device, 0) : actuator_unknown();
}

ach_status_t actuator_send(struct ach_device *device, const struct actuator_command *c)
{
    switch (ach_device_address(device)->interf) {
    case ACH_POSITION2D_CODE:
        return actuator_base(device, c);
    case ACH_ACTARRAY_CODE:
        return actuator_array(device, c);
    case ACH_POSITION1D_CODE:
        return actuator_single(device, c);
    case ACH_PLANNER_CODE:
        return actuator_planner(device, c);
    default:
        return actuator_unknown();
    }
}

unsigned actuator_joints(struct ach_device *device)
{
    const ach_actarray_data_t *data;
    ach_message_t *m;
    unsigned n = 0;
    ach_status_t status =
        ach_actarray_get_state(device, DATA_SECONDS, ACH_O_LAST | ACH_O_WAIT, &m, &data);

    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return 0;
    if (data)
        n = data->actuators_count;
    ach_message_unref(m);
    return n;
}
