/* SPDX-License-Identifier: BSD-3-Clause */
/* translate_state.c - what a robot measures of itself: imu, actarray, power; and joystick */
#include <math.h>
#include <stdio.h>

#include "translate.h"

/* -1 as the first covariance means that there is no such measurement. */
static void state_covariance(struct feed_cdr *c, bool measured)
{
    feed_cdr_f64(c, measured ? 0 : -1);
    feed_cdr_f64s(c, 0, 8);
}

struct state_motion {
    bool turns, moves;             /* orientation, and rates with accelerations, are known */
    double turn[3], quaternion[4]; /* x, y, z, w; used if it is not all 0 */
    double rate[3], acceleration[3];
};

static bool state_imu(const struct feed_translation *t, const struct state_motion *m)
{
    const double *q = m->quaternion, *r = m->rate, *a = m->acceleration;

    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    if (q[0] != 0 || q[1] != 0 || q[2] != 0 || q[3] != 0) {
        feed_part_vector(t->cdr, q[0], q[1], q[2]);
        feed_cdr_f64(t->cdr, q[3]);
    } else {
        feed_part_quaternion(t->cdr, m->turn[0], m->turn[1], m->turn[2]);
    }
    state_covariance(t->cdr, m->turns);
    feed_part_vector(t->cdr, r[0], r[1], r[2]);
    state_covariance(t->cdr, m->moves);
    feed_part_vector(t->cdr, a[0], a[1], a[2]);
    state_covariance(t->cdr, m->moves);
    feed_translate_emit(t, "data", &feed_ros_imu);
    return true;
}

static struct state_motion state_calib(const ach_imu_data_calib_t *c)
{
    return (struct state_motion){.moves = true,
                                 .rate = {c->gyro_x, c->gyro_y, c->gyro_z},
                                 .acceleration = {c->accel_x, c->accel_y, c->accel_z}};
}

static bool state_imu_calib(const struct feed_translation *t, const void *body)
{
    const struct state_motion m = state_calib(body);

    return state_imu(t, &m);
}

static bool state_imu_quat(const struct feed_translation *t, const void *body)
{
    const ach_imu_data_quat_t *q = body;
    struct state_motion m = state_calib(&q->calib_data);

    m.turns = true;
    m.quaternion[0] = q->q1;
    m.quaternion[1] = q->q2;
    m.quaternion[2] = q->q3;
    m.quaternion[3] = q->q0;
    return state_imu(t, &m);
}

static bool state_imu_euler(const struct feed_translation *t, const void *body)
{
    const ach_imu_data_euler_t *e = body;
    struct state_motion m = state_calib(&e->calib_data);

    m.turns = true;
    m.turn[0] = e->orientation.proll;
    m.turn[1] = e->orientation.ppitch;
    m.turn[2] = e->orientation.pyaw;
    return state_imu(t, &m);
}

static bool state_imu_full(const struct feed_translation *t, const void *body)
{
    const ach_imu_data_fullstate_t *f = body;
    const struct state_motion m = {
        .turns = true,
        .moves = true,
        .turn = {f->pose.proll, f->pose.ppitch, f->pose.pyaw},
        .rate = {f->vel.proll, f->vel.ppitch, f->vel.pyaw},
        .acceleration = {f->acc.px, f->acc.py, f->acc.pz},
    };

    return state_imu(t, &m);
}

static bool state_imu_pose(const struct feed_translation *t, const void *body)
{
    const ach_imu_data_state_t *s = body;
    const struct state_motion m = {.turns = true,
                                   .turn = {s->pose.proll, s->pose.ppitch, s->pose.pyaw}};

    return state_imu(t, &m);
}

static bool state_joints(const struct feed_translation *t, const void *body)
{
    const ach_actarray_data_t *a = body;
    uint32_t i, n = a->actuators_count;
    char name[24];

    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "joint%u", i);
        feed_cdr_text(t->cdr, name);
    }
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        feed_cdr_f64(t->cdr, a->actuators[i].position);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        feed_cdr_f64(t->cdr, a->actuators[i].speed);
    feed_cdr_u32(t->cdr, 0);
    feed_translate_emit(t, "joint_states", &feed_ros_joint_state);
    return true;
}

/* sensor_msgs/BatteryState */
enum { STATUS_UNKNOWN = 0, STATUS_CHARGING = 1, STATUS_DISCHARGING = 2 };

static uint8_t state_charging(const ach_power_data_t *p)
{
    if (!(p->valid & ACH_POWER_MASK_CHARGING) || p->charging < 0)
        return STATUS_UNKNOWN;
    return p->charging ? STATUS_CHARGING : STATUS_DISCHARGING;
}

static bool state_power(const struct feed_translation *t, const void *body)
{
    const ach_power_data_t *p = body;
    const bool volts = p->valid & ACH_POWER_MASK_VOLTS, watts = p->valid & ACH_POWER_MASK_WATTS;
    struct feed_cdr *c = t->cdr;

    feed_cdr_begin(c);
    feed_part_header(t, t->device->frame);
    feed_cdr_f32(c, volts ? p->volts : NAN);
    feed_cdr_f32(c, NAN); /* temperature */
    feed_cdr_f32(c, volts && watts && p->volts > 0 ? -p->watts / p->volts : NAN);
    feed_cdr_f32(c, NAN); /* charge */
    feed_cdr_f32(c, NAN); /* capacity */
    feed_cdr_f32(c, NAN); /* capacity by design */
    feed_cdr_f32(c, p->valid & ACH_POWER_MASK_PERCENT ? p->percent / 100 : NAN);
    feed_cdr_u8(c, state_charging(p));
    feed_cdr_u8(c, 0);  /* health */
    feed_cdr_u8(c, 0);  /* technology */
    feed_cdr_u8(c, 1);  /* it is there */
    feed_cdr_u32(c, 0); /* cells */
    feed_cdr_u32(c, 0);
    feed_cdr_text(c, "");
    feed_cdr_text(c, "");
    feed_translate_emit(t, "battery", &feed_ros_battery);
    return true;
}

static bool state_joystick(const struct feed_translation *t, const void *body)
{
    const ach_joystick_data_t *j = body;
    const uint32_t most = sizeof(j->pos) / sizeof(j->pos[0]);
    const uint32_t n = j->axes_count < most ? j->axes_count : most;
    uint32_t i;

    feed_cdr_begin(t->cdr);
    feed_part_header(t, t->device->frame);
    feed_cdr_u32(t->cdr, n);
    for (i = 0; i < n; i++)
        feed_cdr_f32(t->cdr, j->scale[i] ? (float)j->pos[i] / (float)j->scale[i] : 0);
    feed_cdr_u32(t->cdr, 32);
    for (i = 0; i < 32; i++)
        feed_cdr_i32(t->cdr, (int32_t)(j->buttons >> i & 1));
    feed_translate_emit(t, "joy", &feed_ros_joy);
    return true;
}

const struct feed_rule feed_rules_state[] = {
    {ACH_IMU_CODE, ACH_IMU_DATA_STATE, state_imu_pose},
    {ACH_IMU_CODE, ACH_IMU_DATA_CALIB, state_imu_calib},
    {ACH_IMU_CODE, ACH_IMU_DATA_QUAT, state_imu_quat},
    {ACH_IMU_CODE, ACH_IMU_DATA_EULER, state_imu_euler},
    {ACH_IMU_CODE, ACH_IMU_DATA_FULLSTATE, state_imu_full},
    {ACH_ACTARRAY_CODE, ACH_ACTARRAY_DATA_STATE, state_joints},
    {ACH_POWER_CODE, ACH_POWER_DATA_STATE, state_power},
    {ACH_JOYSTICK_CODE, ACH_JOYSTICK_DATA_STATE, state_joystick},
    {0, 0, NULL},
};
