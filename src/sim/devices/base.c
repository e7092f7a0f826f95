/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * base.c - a body that drives on wheels, as a position2d
 *
 * Its pose is the true one, relative to the origin of the odometry. Velocities are in the body's
 * frame: forward, to the left, and rotation. A command sets the speed of the wheels.
 */
#include <ach.h>
#include <ach/interface/position2d.h>
#include <math.h>

#include "device.h"
#include "devices.h"
#include "space.h"

#define WHEELS_MAX 8
#define FULL 0.999 /* fraction of a wheel's strength from which it is at its limit */
#define SLOW 0.1   /* fraction of the commanded speed below which it is blocked */

enum { POSITION, ANGLE, VELOCITY, TURN, GRAINS };

struct wheel {
    size_t joint;
    int side; /* -1: left, 1: right */
    double wanted;
};

struct base {
    struct simd_simdev device;
    size_t body;
    ach_bbox3d_t size;
    ach_pose2d_t origin; /* of the odometry, in the world */
    struct wheel wheels[2 * WHEELS_MAX];
    unsigned n_wheels;
    double radius, track;
    bool unpowered;
};

static const uint8_t messages[][2] = {
    {ACH_MSG_CMD, ACH_POSITION2D_CMD_VEL},         {ACH_MSG_REQ, ACH_POSITION2D_REQ_GET_GEOM},
    {ACH_MSG_REQ, ACH_POSITION2D_REQ_MOTOR_POWER}, {ACH_MSG_REQ, ACH_POSITION2D_REQ_SET_ODOM},
    {ACH_MSG_REQ, ACH_POSITION2D_REQ_RESET_ODOM},  {0, 0}};

static void read_side(struct base *b, ach_section_t *o, const char *name, int side)
{
    size_t i, n = ach_section_tuple_count(o, name);

    if (n > WHEELS_MAX)
        ach_section_refuse(o, name, WHEELS_MAX, "up to 8 wheels");
    for (i = 0; i < n && i < WHEELS_MAX; i++)
        b->wheels[b->n_wheels++] =
            (struct wheel){.joint = simd_joint(&b->device, o, name, i), .side = side};
}

static double read_above_0(ach_section_t *o, const char *name)
{
    double length = ach_section_length(o, name, 0);

    if (!(length > 0 && isfinite(length)))
        ach_section_refuse(o, name, 0, "a length above 0");
    return length;
}

/* Without wheels the device only senses. */
static ach_status_t base_options(struct simd_simdev *d, ach_section_t *o)
{
    struct base *b = (struct base *)d;
    unsigned left;

    b->body = simd_body(d, o, "body");
    b->size = simd_size(o);
    read_side(b, o, "left", -1);
    left = b->n_wheels;
    read_side(b, o, "right", 1);
    if (!b->n_wheels)
        return ACH_OK;
    if (!left || left == b->n_wheels)
        ach_section_refuse(o, left ? "right" : "left", 0, "a wheel's joint on each side");
    b->radius = read_above_0(o, "radius");
    b->track = read_above_0(o, "track");
    return ACH_OK;
}

static ach_pose2d_t compose(ach_pose2d_t a, ach_pose2d_t b)
{
    double c = cos(a.pa), s = sin(a.pa);

    return (ach_pose2d_t){.px = a.px + c * b.px - s * b.py,
                          .py = a.py + s * b.px + c * b.py,
                          .pa = remainder(a.pa + b.pa, 2 * M_PI)};
}

static ach_pose2d_t inverse(ach_pose2d_t a)
{
    double c = cos(a.pa), s = sin(a.pa);

    return (ach_pose2d_t){.px = -c * a.px - s * a.py, .py = s * a.px - c * a.py, .pa = -a.pa};
}

static ach_pose2d_t pose_of(const ach_body_state_t *s)
{
    return (ach_pose2d_t){s->position[0], s->position[1], simd_space_angles(s->orientation).pyaw};
}

/* Is there a wheel with full effort that hardly turns? */
static bool stalled(const struct base *b)
{
    const struct phys_mechanism *m = b->device.mechanism;
    ach_joint_state_t s;
    ach_joint_info_t info;
    unsigned i;

    for (i = 0; i < b->n_wheels; i++) {
        phys_mechanism_joint_get(m, b->wheels[i].joint, &s);
        phys_mechanism_joint_info(m, b->wheels[i].joint, &info);
        if (info.strength > 0 && fabs(s.effort) >= FULL * info.strength &&
            fabs(s.velocity) < SLOW * fabs(b->wheels[i].wanted))
            return true;
    }
    return false;
}

static ach_status_t base_sample(struct simd_simdev *d)
{
    const struct base *b = (const struct base *)d;
    ach_position2d_data_t data = {.stall = stalled(b)};
    ach_body_state_t s;
    ach_pose2d_t at;
    double c, n;

    phys_mechanism_body_get(d->mechanism, b->body, &s);
    at = pose_of(&s);
    c = cos(at.pa);
    n = sin(at.pa);
    at = compose(inverse(b->origin), at);
    data.pos = (ach_pose2d_t){.px = simd_sense(d, POSITION, at.px),
                              .py = simd_sense(d, POSITION, at.py),
                              .pa = simd_sense(d, ANGLE, at.pa)};
    data.vel = (ach_pose2d_t){.px = simd_sense(d, VELOCITY, c * s.velocity[0] + n * s.velocity[1]),
                              .py = simd_sense(d, VELOCITY, c * s.velocity[1] - n * s.velocity[0]),
                              .pa = simd_sense(d, TURN, s.rotation[2])};
    return simd_publish(d, ACH_POSITION2D_DATA_STATE, &data);
}

static ach_status_t base_drive(struct base *b, double ahead, double turn)
{
    ach_status_t status = ACH_OK;
    unsigned i;

    for (i = 0; i < b->n_wheels && status == ACH_OK; i++) {
        struct wheel *w = &b->wheels[i];

        w->wanted = (ahead + w->side * turn * b->track / 2) / b->radius;
        status = phys_mechanism_joint_drive(b->device.mechanism, w->joint, ACH_DRIVE_VELOCITY,
                                            w->wanted);
    }
    return status;
}

static ach_status_t base_command(struct simd_simdev *d, const ach_message_t *m)
{
    struct base *b = (struct base *)d;
    const ach_position2d_cmd_vel_t *body = ach_message_body(m);

    if (ach_message_header(m)->subtype != ACH_POSITION2D_CMD_VEL || !b->n_wheels)
        return ACH_ENOTSUP;
    if (b->unpowered)
        return ach_errstr_set(ACH_EACCES, "the wheels have no power");
    if (!isfinite(body->vel.px) || !isfinite(body->vel.pa))
        return ach_errstr_set(ACH_EINVAL, "a number in the command is not finite");
    return base_drive(b, body->vel.px, body->vel.pa);
}

/* Without power the wheels turn freely: effort 0. */
static ach_status_t base_power(struct base *b, const ach_message_t *m)
{
    const ach_position2d_power_config_t *body = ach_message_body(m);
    ach_status_t status = ACH_OK;
    unsigned i;

    if (!body || !b->n_wheels)
        return ACH_ENOTSUP;
    if (b->unpowered == !body->state)
        return simd_ack(&b->device, m, NULL);
    status = simd_reach(&b->device);
    for (i = 0; i < b->n_wheels && status == ACH_OK; i++) {
        b->wheels[i].wanted = 0;
        status = phys_mechanism_joint_drive(b->device.mechanism, b->wheels[i].joint,
                                            ACH_DRIVE_EFFORT, 0);
    }
    if (status != ACH_OK)
        return status;
    b->unpowered = !body->state;
    return simd_ack(&b->device, m, NULL);
}

static ach_status_t set_odometry(struct base *b, const ach_message_t *m, const ach_pose2d_t *pose)
{
    ach_body_state_t s;
    ach_status_t status;

    if (!pose || !isfinite(pose->px) || !isfinite(pose->py) || !isfinite(pose->pa))
        return ACH_ENOTSUP;
    status = simd_reach(&b->device);
    if (status != ACH_OK)
        return status;
    phys_mechanism_body_get(b->device.mechanism, b->body, &s);
    b->origin = compose(pose_of(&s), inverse(*pose));
    return simd_ack(&b->device, m, NULL);
}

static ach_status_t base_request(struct simd_simdev *d, const ach_message_t *m)
{
    struct base *b = (struct base *)d;
    const ach_position2d_geom_t geom = {.size = b->size};
    const ach_position2d_set_odom_req_t *body;

    switch (ach_message_header(m)->subtype) {
    case ACH_POSITION2D_REQ_GET_GEOM:
        return simd_ack(d, m, &geom);
    case ACH_POSITION2D_REQ_MOTOR_POWER:
        return base_power(b, m);
    case ACH_POSITION2D_REQ_SET_ODOM:
        body = ach_message_body(m);
        return set_odometry(b, m, body ? &body->pose : NULL);
    case ACH_POSITION2D_REQ_RESET_ODOM:
        return set_odometry(b, m, &(ach_pose2d_t){0});
    }
    return ACH_ENOTSUP;
}

static const struct simd_kind kind = {
    .interf = ACH_POSITION2D_CODE,
    .size = sizeof(struct base),
    .grains = GRAINS,
    .messages = messages,
    .options = base_options,
    .sample = base_sample,
    .command = base_command,
    .request = base_request,
};

static ach_status_t base_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_base = SIMD_CLASS("sim_base", base_create);
