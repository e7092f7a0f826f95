/* SPDX-License-Identifier: BSD-3-Clause */
/* joints.c - joints of a mechanism as an actarray; a motor's current is the joint's effort */
#include <ach.h>
#include <ach/interface/actarray.h>
#include <math.h>
#include <stdlib.h>

#include "device.h"
#include "devices.h"

#define JOINTS_MAX 256
#define STILL 1e-6 /* m/s or rad/s: a slower joint is idle */

enum { POSITION, SPEED, CURRENT, GRAINS };

struct joints {
    struct simd_simdev device;
    size_t count;
    size_t *joints; /* indices in the mechanism */
    double *homes;
    double per_ampere;
    ach_actarray_actuator_t *actuators;
    bool unpowered, braked;
};

static const uint8_t messages[][2] = {{ACH_MSG_CMD, ACH_ACTARRAY_CMD_POS},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_MULTI_POS},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_SPEED},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_MULTI_SPEED},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_CURRENT},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_MULTI_CURRENT},
                                      {ACH_MSG_CMD, ACH_ACTARRAY_CMD_HOME},
                                      {ACH_MSG_REQ, ACH_ACTARRAY_REQ_POWER},
                                      {ACH_MSG_REQ, ACH_ACTARRAY_REQ_BRAKES},
                                      {ACH_MSG_REQ, ACH_ACTARRAY_REQ_GET_GEOM},
                                      {0, 0}};

static void read_joints(struct joints *j, ach_section_t *o, bool all)
{
    size_t i;

    for (i = 0; i < j->count; i++) {
        j->joints[i] = all ? i : simd_joint(&j->device, o, "joints", i);
        j->homes[i] = ach_section_tuple_double(o, "home", i, 0);
        if (!isfinite(j->homes[i]))
            ach_section_refuse(o, "home", i, "a position");
    }
}

static ach_status_t joints_options(struct simd_simdev *d, ach_section_t *o)
{
    struct joints *j = (struct joints *)d;
    bool all = !ach_section_has(o, "joints");

    j->count = all ? phys_mechanism_joints(d->mechanism) : ach_section_tuple_count(o, "joints");
    if (j->count < 1 || j->count > JOINTS_MAX) {
        ach_section_refuse(o, "joints", 0, "1 to 256 joints of the mechanism");
        return ach_errstr_set(ACH_EINVAL, "no joints, or too many");
    }
    j->joints = calloc(j->count, sizeof(*j->joints));
    j->homes = calloc(j->count, sizeof(*j->homes));
    j->actuators = calloc(j->count, sizeof(*j->actuators));
    if (!j->joints || !j->homes || !j->actuators)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for joints");
    read_joints(j, o, all);
    j->per_ampere = ach_section_double(o, "effort_per_ampere", 1);
    if (!(j->per_ampere > 0 && isfinite(j->per_ampere)))
        ach_section_refuse(o, "effort_per_ampere", 0, "an effort above 0");
    return ACH_OK;
}

static void joints_finish(struct simd_simdev *d)
{
    struct joints *j = (struct joints *)d;

    free(j->joints);
    free(j->homes);
    free(j->actuators);
}

static uint8_t state_of(const struct joints *j, const ach_joint_state_t *s)
{
    if (j->braked)
        return ACH_ACTARRAY_ACTSTATE_BRAKED;
    return fabs(s->velocity) > STILL ? ACH_ACTARRAY_ACTSTATE_MOVING : ACH_ACTARRAY_ACTSTATE_IDLE;
}

static ach_status_t joints_sample(struct simd_simdev *d)
{
    struct joints *j = (struct joints *)d;
    ach_actarray_data_t data = {.actuators_count = (uint32_t)j->count,
                                .actuators = j->actuators,
                                .motor_state = !j->unpowered};
    ach_joint_state_t s;
    size_t i;

    for (i = 0; i < j->count; i++) {
        phys_mechanism_joint_get(d->mechanism, j->joints[i], &s);
        j->actuators[i] = (ach_actarray_actuator_t){
            .position = (float)simd_sense(d, POSITION, s.position),
            .speed = (float)simd_sense(d, SPEED, s.velocity),
            .acceleration = (float)s.acceleration,
            .current = (float)simd_sense(d, CURRENT, s.effort / j->per_ampere),
            .state = state_of(j, &s),
        };
    }
    return simd_publish(d, ACH_ACTARRAY_DATA_STATE, &data);
}

static ach_status_t joints_drive(struct joints *j, size_t i, enum ach_drive how, double value)
{
    struct simd_simdev *d = &j->device;

    if (how == ACH_DRIVE_EFFORT)
        value *= j->per_ampere;
    return phys_mechanism_joint_drive(d->mechanism, j->joints[i], how, value);
}

static ach_status_t drive_one(struct joints *j, int32_t i, enum ach_drive how, float value)
{
    if (i < 0 || (size_t)i >= j->count)
        return ach_errstr_set(ACH_EINVAL, "there is no joint %d", (int)i);
    return joints_drive(j, (size_t)i, how, (double)value);
}

/* Drives all joints that accept it; returns the first error. */
static ach_status_t drive_all(struct joints *j, uint32_t count, enum ach_drive how,
                              const float *values)
{
    ach_status_t status = ACH_OK, one;
    size_t i;

    if (count > j->count)
        return ach_errstr_set(ACH_EINVAL, "%u values for %zu joints", (unsigned)count, j->count);
    for (i = 0; i < count; i++) {
        one = joints_drive(j, i, how, (double)values[i]);
        status = status == ACH_OK ? one : status;
    }
    return status;
}

static ach_status_t home(struct joints *j, int32_t which)
{
    ach_status_t status = ACH_OK;
    size_t i;

    if (which >= 0 && (size_t)which < j->count)
        return joints_drive(j, (size_t)which, ACH_DRIVE_POSITION, j->homes[which]);
    if (which != -1)
        return ach_errstr_set(ACH_EINVAL, "there is no joint %d", (int)which);
    for (i = 0; i < j->count && status == ACH_OK; i++)
        status = joints_drive(j, i, ACH_DRIVE_POSITION, j->homes[i]);
    return status;
}

/* The body of a command, as one of its structs. */
#define BODY(type) ((const ach_actarray_##type##_t *)body)

static ach_status_t joints_command(struct simd_simdev *d, const ach_message_t *m)
{
    struct joints *j = (struct joints *)d;
    const void *body = ach_message_body(m);

    if (j->unpowered || j->braked)
        return ach_errstr_set(ACH_EACCES, "the joints have %s",
                              j->braked ? "brakes on" : "no power");
    switch (ach_message_header(m)->subtype) {
    case ACH_ACTARRAY_CMD_POS:
        return drive_one(j, BODY(position_cmd)->joint, ACH_DRIVE_POSITION,
                         BODY(position_cmd)->position);
    case ACH_ACTARRAY_CMD_SPEED:
        return drive_one(j, BODY(speed_cmd)->joint, ACH_DRIVE_VELOCITY, BODY(speed_cmd)->speed);
    case ACH_ACTARRAY_CMD_CURRENT:
        return drive_one(j, BODY(current_cmd)->joint, ACH_DRIVE_EFFORT, BODY(current_cmd)->current);
    case ACH_ACTARRAY_CMD_MULTI_POS:
        return drive_all(j, BODY(multi_position_cmd)->positions_count, ACH_DRIVE_POSITION,
                         BODY(multi_position_cmd)->positions);
    case ACH_ACTARRAY_CMD_MULTI_SPEED:
        return drive_all(j, BODY(multi_speed_cmd)->speeds_count, ACH_DRIVE_VELOCITY,
                         BODY(multi_speed_cmd)->speeds);
    case ACH_ACTARRAY_CMD_MULTI_CURRENT:
        return drive_all(j, BODY(multi_current_cmd)->currents_count, ACH_DRIVE_EFFORT,
                         BODY(multi_current_cmd)->currents);
    case ACH_ACTARRAY_CMD_HOME:
        return home(j, BODY(home_cmd)->joint);
    }
    return ACH_ENOTSUP;
}

static ach_actarray_actuatorgeom_t geom_of(const struct joints *j, size_t i)
{
    ach_joint_info_t info;

    phys_mechanism_joint_info(j->device.mechanism, j->joints[i], &info);
    return (ach_actarray_actuatorgeom_t){
        .type = info.kind == ACH_JOINT_SLIDES ? ACH_ACTARRAY_TYPE_LINEAR : ACH_ACTARRAY_TYPE_ROTARY,
        .axis = {info.axis[0], info.axis[1], info.axis[2]},
        .min = (float)info.lowest,
        .centre =
            isfinite(info.lowest + info.highest) ? (float)((info.lowest + info.highest) / 2) : 0,
        .max = (float)info.highest,
        .home = (float)j->homes[i],
        .hasbrakes = 1,
    };
}

static ach_status_t joints_get_geom(struct joints *j, const ach_message_t *m)
{
    ach_actarray_actuatorgeom_t *all = calloc(j->count, sizeof(*all));
    ach_actarray_geom_t geom = {.actuators_count = (uint32_t)j->count, .actuators = all};
    ach_status_t status;
    size_t i;

    if (!all)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a geometry");
    status = simd_reach(&j->device);
    if (status == ACH_OK) {
        for (i = 0; i < j->count; i++)
            all[i] = geom_of(j, i);
        status = simd_ack(&j->device, m, &geom);
    }
    free(all);
    return status;
}

/* Drive all joints with value 0 from now on. */
static ach_status_t set_all(struct joints *j, enum ach_drive how)
{
    ach_status_t status = simd_reach(&j->device);
    size_t i;

    for (i = 0; i < j->count && status == ACH_OK; i++)
        status = joints_drive(j, i, how, 0);
    return status;
}

/* Brakes hold velocity 0, up to the joint's strength. Otherwise effort is 0 until a command. */
static ach_status_t set_state(struct joints *j, const ach_message_t *m, bool unpowered, bool braked)
{
    ach_status_t status = ACH_OK;

    if (unpowered != j->unpowered || braked != j->braked)
        status = set_all(j, braked ? ACH_DRIVE_VELOCITY : ACH_DRIVE_EFFORT);
    if (status != ACH_OK)
        return status;
    j->unpowered = unpowered;
    j->braked = braked;
    return simd_ack(&j->device, m, NULL);
}

static ach_status_t joints_request(struct simd_simdev *d, const ach_message_t *m)
{
    struct joints *j = (struct joints *)d;
    const ach_actarray_power_config_t *power = ach_message_body(m);
    const ach_actarray_brakes_config_t *brakes = ach_message_body(m);

    switch (ach_message_header(m)->subtype) {
    case ACH_ACTARRAY_REQ_GET_GEOM:
        return joints_get_geom(j, m);
    case ACH_ACTARRAY_REQ_POWER:
        return power ? set_state(j, m, !power->value, j->braked) : ACH_ENOTSUP;
    case ACH_ACTARRAY_REQ_BRAKES:
        return brakes ? set_state(j, m, j->unpowered, brakes->value) : ACH_ENOTSUP;
    }
    return ACH_ENOTSUP;
}

static const struct simd_kind kind = {
    .interf = ACH_ACTARRAY_CODE,
    .size = sizeof(struct joints),
    .grains = GRAINS,
    .messages = messages,
    .options = joints_options,
    .finish = joints_finish,
    .sample = joints_sample,
    .command = joints_command,
    .request = joints_request,
};

static ach_status_t joints_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_joints = SIMD_CLASS("sim_joints", joints_create);
