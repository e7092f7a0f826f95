/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulation.c - the simulation interface: the robot's true pose, and the poses of its sensors
 *
 * Models are the robot, whose pose is relative to the world, and its sensors "laser", "sonar" and
 * "bumper", whose poses are relative to the robot.
 */
#include <string.h>

#include "sim.h"

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_SIMULATION_REQ_GET_POSE2D},
                                      {ACH_MSG_REQ, ACH_SIMULATION_REQ_SET_POSE2D},
                                      {ACH_MSG_REQ, ACH_SIMULATION_REQ_GET_POSE3D},
                                      {ACH_MSG_REQ, ACH_SIMULATION_REQ_SET_POSE3D},
                                      {ACH_MSG_CMD, ACH_SIMULATION_CMD_PAUSE},
                                      {ACH_MSG_CMD, ACH_SIMULATION_CMD_RESET},
                                      {0, 0}};

ach_status_t drv_sim_simulation_options(struct drv_sim *s, ach_section_t *o)
{
    const char *model = ach_section_string(o, "model", "robot");

    if (strlen(model) >= sizeof(s->model))
        ach_section_refuse(o, "model", 0, "a name of up to 63 characters");
    else
        strcpy(s->model, model);
    s->paused = ach_section_bool(o, "paused", false);
    return drv_sim_provide(s, ACH_SIMULATION_CODE, messages, &s->simulation);
}

static struct drv_sim_sensor *sensor(struct drv_sim *s, const char *name)
{
    if (strcmp(name, "laser") == 0)
        return &s->scanner.sensor;
    if (strcmp(name, "sonar") == 0)
        return &s->sonars.sensor;
    return strcmp(name, "bumper") == 0 ? &s->bumpers.sensor : NULL;
}

static bool get_pose(struct drv_sim *s, const char *name, ach_pose2d_t *pose)
{
    const struct drv_sim_sensor *at = sensor(s, name);

    if (strcmp(name, s->model) == 0)
        *pose = s->motion.truth;
    else if (at)
        *pose = at->mount;
    else
        return false;
    return true;
}

static bool set_pose(struct drv_sim *s, const char *name, const ach_pose2d_t *pose)
{
    struct drv_sim_sensor *at = sensor(s, name);

    if (strcmp(name, s->model) == 0)
        return drv_sim_place(s, pose);
    if (!at || !drv_sim_finite(pose))
        return false;
    at->mount = *pose;
    at->moved = true;
    return true;
}

static ach_status_t pose2d(struct drv_sim *s, const ach_message_t *m, bool set)
{
    const ach_simulation_pose2d_req_t *b = ach_message_body(m);
    ach_simulation_pose2d_req_t answer;

    if (!b || (set && !set_pose(s, b->name, &b->pose)))
        return ACH_ENOTSUP;
    answer = *b;
    if (!get_pose(s, b->name, &answer.pose))
        return ACH_ENOTSUP;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, set ? NULL : &answer);
}

static ach_status_t pose3d(struct drv_sim *s, const ach_message_t *m, bool set)
{
    const ach_simulation_pose3d_req_t *b = ach_message_body(m);
    ach_simulation_pose3d_req_t answer;
    ach_pose2d_t pose;

    if (!b)
        return ACH_ENOTSUP;
    pose = (ach_pose2d_t){b->pose.px, b->pose.py, b->pose.pyaw};
    if ((set && !set_pose(s, b->name, &pose)) || !get_pose(s, b->name, &pose))
        return ACH_ENOTSUP;
    answer = *b;
    answer.pose = drv_sim_pose3d(&pose);
    answer.simtime = (double)s->ticks * s->step;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, set ? NULL : &answer);
}

static ach_status_t simulation_request(struct drv_sim *s, const ach_message_t *m)
{
    switch (ach_message_header(m)->subtype) {
    case ACH_SIMULATION_REQ_GET_POSE2D:
        return pose2d(s, m, false);
    case ACH_SIMULATION_REQ_SET_POSE2D:
        return pose2d(s, m, true);
    case ACH_SIMULATION_REQ_GET_POSE3D:
        return pose3d(s, m, false);
    case ACH_SIMULATION_REQ_SET_POSE3D:
        return pose3d(s, m, true);
    }
    return ACH_ENOTSUP;
}

/* A second pause command resumes. */
ach_status_t drv_sim_simulation_process(struct drv_sim *s, const ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);

    if (h->type == ACH_MSG_REQ)
        return simulation_request(s, m);
    if (h->type != ACH_MSG_CMD)
        return ACH_ENOTSUP;
    if (h->subtype == ACH_SIMULATION_CMD_PAUSE)
        s->paused = !s->paused;
    else if (h->subtype == ACH_SIMULATION_CMD_RESET)
        drv_sim_reset(s);
    else
        return ACH_ENOTSUP;
    return ACH_OK;
}
