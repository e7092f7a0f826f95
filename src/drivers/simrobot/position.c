/* SPDX-License-Identifier: BSD-3-Clause */
/* position.c - the robot's wheels, as a position2d device */
#include <math.h>

#include "sim.h"

static const uint8_t messages[][2] = {{ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL},
                                      {ACH_MSG_CMD, ACH_POSITION2D_CMD_POS},
                                      {ACH_MSG_CMD, ACH_POSITION2D_CMD_CAR},
                                      {ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL_HEAD},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_GET_GEOM},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_MOTOR_POWER},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_SET_ODOM},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_RESET_ODOM},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_SPEED_PROF},
                                      {ACH_MSG_REQ, ACH_POSITION2D_REQ_POSITION_MODE},
                                      {0, 0}};

static void check_limits(ach_section_t *o, const char *name, const struct drv_sim_pair *p)
{
    if (!(p->ahead > 0))
        ach_section_refuse(o, name, 0, "a number above 0");
    if (!(p->turn > 0))
        ach_section_refuse(o, name, 1, "an angle above 0");
}

ach_status_t drv_sim_position_options(struct drv_sim *s, ach_section_t *o)
{
    struct drv_sim_motion *m = &s->motion;
    ach_status_t status = ach_driver_property_double(s->driver, "watchdog", 0);

    m->power = true;
    m->radius = ach_section_length(o, "radius", 0.2);
    m->max = drv_sim_pair_option(o, "max_speed", (struct drv_sim_pair){0.6, 1.5});
    m->acceleration = drv_sim_pair_option(o, "acceleration", (struct drv_sim_pair){0.8, 3.0});
    m->drift.ahead = ach_section_tuple_double(o, "odometry_drift", 0, 0);
    m->drift.turn = ach_section_tuple_double(o, "odometry_drift", 1, 0);
    m->noise.ahead = ach_section_tuple_double(o, "odometry_noise", 0, 0);
    m->noise.turn = ach_section_tuple_double(o, "odometry_noise", 1, 0);
    s->wheelbase = ach_section_length(o, "wheelbase", 2 * m->radius);
    s->position_rate = ach_section_double(o, "rate", 20);
    check_limits(o, "max_speed", &m->max);
    check_limits(o, "acceleration", &m->acceleration);
    if (!(m->radius > 0 && m->radius <= 10))
        ach_section_refuse(o, "radius", 0, "a length above 0, and up to 10 m");
    if (!(s->wheelbase > 0))
        ach_section_refuse(o, "wheelbase", 0, "a length above 0");
    if (status == ACH_OK)
        status = drv_sim_provide(s, ACH_POSITION2D_CODE, messages, &s->position);
    return status;
}

void drv_sim_position_publish(struct drv_sim *s)
{
    const struct drv_sim_motion *m = &s->motion;
    ach_position2d_data_t data = {.pos = m->odometry,
                                  .vel = {.px = m->speed.ahead, .pa = m->speed.turn},
                                  .stall = m->blocked};

    if (s->position.there && drv_sim_due(s, s->position_rate))
        ach_driver_publish_at(s->driver, &s->position.address, ACH_POSITION2D_DATA_STATE, &data,
                              drv_sim_now(s));
}

/* The watchdog does not apply to a goal: the robot stops there by itself. */
void drv_sim_position_watch(struct drv_sim *s)
{
    struct drv_sim_command *c = &s->motion.command;
    double limit = ach_driver_get_double(s->driver, "watchdog");

    if ((c->mode == DRV_SIM_VEL || c->mode == DRV_SIM_HEAD) && limit > 0 &&
        drv_sim_now(s) - c->at > limit) {
        c->mode = DRV_SIM_STAND;
        ach_driver_log(s->driver, ACH_LOG_INFO, "no command for %g s: the robot stops", limit);
    }
}

static ach_status_t obey(struct drv_sim *s, const struct drv_sim_command *c)
{
    if (!isfinite(c->speed.ahead) || !isfinite(c->speed.turn) || !isfinite(c->heading) ||
        !drv_sim_finite(&c->goal))
        return ach_errstr_set(ACH_EINVAL, "a number in the command is not finite");
    s->motion.command = *c;
    s->motion.command.at = drv_sim_now(s);
    return ACH_OK;
}

static ach_status_t position_vel(struct drv_sim *s, const ach_position2d_cmd_vel_t *b)
{
    return obey(s, &(struct drv_sim_command){.mode = DRV_SIM_VEL, .speed = {b->vel.px, b->vel.pa}});
}

static ach_status_t position_pos(struct drv_sim *s, const ach_position2d_cmd_pos_t *b)
{
    return obey(s, &(struct drv_sim_command){
                       .mode = DRV_SIM_POS, .goal = b->pos, .speed = {b->vel.px, b->vel.pa}});
}

/* A car turns only while it moves. */
static ach_status_t car(struct drv_sim *s, const ach_position2d_cmd_car_t *b)
{
    double angle = b->angle > 1.4 ? 1.4 : b->angle < -1.4 ? -1.4 : b->angle;

    return obey(s, &(struct drv_sim_command){
                       .mode = DRV_SIM_VEL,
                       .speed = {b->velocity, b->velocity * tan(angle) / s->wheelbase}});
}

static ach_status_t head(struct drv_sim *s, const ach_position2d_cmd_vel_head_t *b)
{
    return obey(s, &(struct drv_sim_command){
                       .mode = DRV_SIM_HEAD, .speed = {b->velocity, 0}, .heading = b->angle});
}

static ach_status_t position_command(struct drv_sim *s, const ach_message_t *m)
{
    const void *body = ach_message_body(m);

    if (!body)
        return ach_errstr_set(ACH_EINVAL, "a command without a body");
    switch (ach_message_header(m)->subtype) {
    case ACH_POSITION2D_CMD_VEL:
        return position_vel(s, body);
    case ACH_POSITION2D_CMD_POS:
        return position_pos(s, body);
    case ACH_POSITION2D_CMD_CAR:
        return car(s, body);
    case ACH_POSITION2D_CMD_VEL_HEAD:
        return head(s, body);
    }
    return ACH_ENOTSUP;
}

static ach_status_t position_get_geom(struct drv_sim *s, const ach_message_t *m)
{
    double d = 2 * s->motion.radius;
    ach_position2d_geom_t geom = {.size = {.sw = d, .sl = d, .sh = d}};

    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, &geom);
}

static ach_status_t position_power(struct drv_sim *s, const ach_message_t *m)
{
    const ach_position2d_power_config_t *body = ach_message_body(m);

    if (!body)
        return ACH_ENOTSUP;
    s->motion.power = body->state != 0;
    s->motion.command.mode = DRV_SIM_STAND;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

/* A goal or heading in the old odometry is void now, so stop. */
static ach_status_t set_odometry(struct drv_sim *s, const ach_message_t *m,
                                 const ach_pose2d_t *pose)
{
    if (!pose || !drv_sim_finite(pose))
        return ACH_ENOTSUP;
    if (s->motion.command.mode != DRV_SIM_VEL)
        s->motion.command.mode = DRV_SIM_STAND;
    s->motion.odometry = *pose;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

static ach_status_t speed_profile(struct drv_sim *s, const ach_message_t *m)
{
    const ach_position2d_speed_prof_req_t *body = ach_message_body(m);

    if (!body ||
        !(body->speed > 0 && isfinite(body->speed) && body->acc > 0 && isfinite(body->acc)))
        return ACH_ENOTSUP;
    s->motion.max.ahead = (double)body->speed;
    s->motion.acceleration.ahead = (double)body->acc;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

/* Each command says what it means, so the mode has no effect beyond a stop. */
static ach_status_t position_mode(struct drv_sim *s, const ach_message_t *m)
{
    const ach_position2d_position_mode_req_t *body = ach_message_body(m);

    if (!body || body->state > 1)
        return ACH_ENOTSUP;
    s->motion.command.mode = DRV_SIM_STAND;
    return ach_driver_reply(s->driver, m, ACH_MSG_ACK, NULL);
}

static ach_status_t position_request(struct drv_sim *s, const ach_message_t *m)
{
    const ach_position2d_set_odom_req_t *body;

    switch (ach_message_header(m)->subtype) {
    case ACH_POSITION2D_REQ_GET_GEOM:
        return position_get_geom(s, m);
    case ACH_POSITION2D_REQ_MOTOR_POWER:
        return position_power(s, m);
    case ACH_POSITION2D_REQ_SET_ODOM:
        body = ach_message_body(m);
        return set_odometry(s, m, body ? &body->pose : NULL);
    case ACH_POSITION2D_REQ_RESET_ODOM:
        return set_odometry(s, m, &(ach_pose2d_t){0});
    case ACH_POSITION2D_REQ_SPEED_PROF:
        return speed_profile(s, m);
    case ACH_POSITION2D_REQ_POSITION_MODE:
        return position_mode(s, m);
    }
    return ACH_ENOTSUP;
}

ach_status_t drv_sim_position_process(struct drv_sim *s, const ach_message_t *m)
{
    switch (ach_message_header(m)->type) {
    case ACH_MSG_CMD:
        return position_command(s, m);
    case ACH_MSG_REQ:
        return position_request(s, m);
    }
    return ACH_ENOTSUP;
}
