/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * imu.c - an inertial measurement unit on a body
 *
 * An accelerometer measures the supporting force, not weight: 1 g upwards at rest, 0 in free
 * fall. The magnetometer gives the direction of the world's x axis.
 */
#include <ach.h>
#include <ach/interface/imu.h>
#include <math.h>
#include <string.h>

#include "device.h"
#include "devices.h"
#include "space.h"

enum { ACCELERATION, RATE, ORIENTATION, GRAINS };

struct imu {
    struct simd_simdev device;
    size_t body;
    double mount[4]; /* its orientation on the body */
    double gravity;
    uint8_t subtype; /* of the data */
};

static const uint8_t messages[][2] = {{ACH_MSG_REQ, ACH_IMU_REQ_SET_DATATYPE}, {0, 0}};

static uint8_t subtype_of(const char *name)
{
    static const struct {
        const char *name;
        uint8_t subtype;
    } all[] = {{"state", ACH_IMU_DATA_STATE},
               {"calib", ACH_IMU_DATA_CALIB},
               {"quat", ACH_IMU_DATA_QUAT},
               {"euler", ACH_IMU_DATA_EULER}};
    size_t i;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].subtype;
    return 0;
}

static ach_status_t imu_options(struct simd_simdev *d, ach_section_t *o)
{
    struct imu *u = (struct imu *)d;
    ach_orientation_3d_t mount = {ach_section_tuple_angle(o, "orientation", 0, 0),
                                  ach_section_tuple_angle(o, "orientation", 1, 0),
                                  ach_section_tuple_angle(o, "orientation", 2, 0)};

    u->body = simd_body(d, o, "body");
    simd_space_quaternion(&mount, u->mount);
    u->gravity = ach_section_double(o, "gravity", 9.81);
    u->subtype = subtype_of(ach_section_string(o, "data", "euler"));
    if (!isfinite(u->gravity))
        ach_section_refuse(o, "gravity", 0, "an acceleration");
    if (!u->subtype)
        ach_section_refuse(o, "data", 0, "\"state\", \"calib\", \"quat\" or \"euler\"");
    return ACH_OK;
}

static ach_imu_data_calib_t calib(struct imu *u, const ach_body_state_t *s, const double q[4])
{
    struct simd_simdev *d = &u->device;
    double a[3] = {s->acceleration[0], s->acceleration[1], s->acceleration[2] + u->gravity};
    double r[3], north[3];

    simd_space_turn_back(q, a, a);
    simd_space_turn_back(q, s->rotation, r);
    simd_space_turn_back(q, (const double[3]){1, 0, 0}, north);
    return (ach_imu_data_calib_t){
        .accel_x = (float)simd_sense(d, ACCELERATION, a[0]),
        .accel_y = (float)simd_sense(d, ACCELERATION, a[1]),
        .accel_z = (float)simd_sense(d, ACCELERATION, a[2]),
        .gyro_x = (float)simd_sense(d, RATE, r[0]),
        .gyro_y = (float)simd_sense(d, RATE, r[1]),
        .gyro_z = (float)simd_sense(d, RATE, r[2]),
        .magn_x = (float)north[0],
        .magn_y = (float)north[1],
        .magn_z = (float)north[2],
    };
}

static ach_orientation_3d_t angles(struct imu *u, const double q[4])
{
    struct simd_simdev *d = &u->device;
    ach_orientation_3d_t a = simd_space_angles(q);

    return (ach_orientation_3d_t){.proll = simd_sense(d, ORIENTATION, a.proll),
                                  .ppitch = simd_sense(d, ORIENTATION, a.ppitch),
                                  .pyaw = simd_sense(d, ORIENTATION, a.pyaw)};
}

/* Orientation noise is applied to the angles in all kinds of data, also to quaternions. */
static ach_status_t publish(struct imu *u, const ach_body_state_t *s, const double q[4])
{
    struct simd_simdev *d = &u->device;
    ach_imu_data_calib_t c = calib(u, s, q);
    ach_orientation_3d_t a = angles(u, q);
    double n[4];

    switch (u->subtype) {
    case ACH_IMU_DATA_STATE:
        return simd_publish(
            d, ACH_IMU_DATA_STATE,
            &(ach_imu_data_state_t){.pose = {s->position[0], s->position[1], s->position[2],
                                             a.proll, a.ppitch, a.pyaw}});
    case ACH_IMU_DATA_QUAT:
        simd_space_quaternion(&a, n);
        return simd_publish(d, ACH_IMU_DATA_QUAT,
                            &(ach_imu_data_quat_t){.calib_data = c,
                                                   .q0 = (float)n[0],
                                                   .q1 = (float)n[1],
                                                   .q2 = (float)n[2],
                                                   .q3 = (float)n[3]});
    case ACH_IMU_DATA_EULER:
        return simd_publish(d, ACH_IMU_DATA_EULER,
                            &(ach_imu_data_euler_t){.calib_data = c, .orientation = a});
    }
    return simd_publish(d, ACH_IMU_DATA_CALIB, &c);
}

static ach_status_t imu_sample(struct simd_simdev *d)
{
    struct imu *u = (struct imu *)d;
    ach_body_state_t s;
    double q[4];

    phys_mechanism_body_get(d->mechanism, u->body, &s);
    simd_space_compose(s.orientation, u->mount, q);
    return publish(u, &s, q);
}

static ach_status_t imu_request(struct simd_simdev *d, const ach_message_t *m)
{
    const ach_imu_datatype_config_t *body = ach_message_body(m);

    if (ach_message_header(m)->subtype != ACH_IMU_REQ_SET_DATATYPE || !body)
        return ACH_ENOTSUP;
    if (body->value < ACH_IMU_DATA_STATE || body->value > ACH_IMU_DATA_EULER)
        return ACH_ENOTSUP;
    ((struct imu *)d)->subtype = body->value;
    return simd_ack(d, m, NULL);
}

static const struct simd_kind kind = {
    .interf = ACH_IMU_CODE,
    .size = sizeof(struct imu),
    .grains = GRAINS,
    .messages = messages,
    .options = imu_options,
    .sample = imu_sample,
    .request = imu_request,
};

static ach_status_t imu_create(ach_driver_t *driver, ach_section_t *section, void **state)
{
    return simd_create(driver, section, &kind, state);
}

const ach_driver_class_t simd_sim_imu = SIMD_CLASS("sim_imu", imu_create);
