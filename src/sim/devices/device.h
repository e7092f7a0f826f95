/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - common part of simulated devices
 *
 * A device belongs to a mechanism. While it has a subscriber it samples at its rate,
 * with the mechanism at exactly the sample's time, and publishes the sample after
 * its latency. Commands act when they arrive, or after the command latency.
 * All of it happens under the world's lock.
 *
 * A kind of device is a struct that begins with a struct simd_simdev, and a table:
 *
 *     static const struct simd_kind kind = {.interf = ACH_IMU_CODE, ...};
 *
 *     static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
 *     {
 *         return simd_create(driver, options, &kind, state);
 *     }
 *
 *     const ach_driver_class_t simd_sim_imu = SIMD_CLASS("sim_imu", create);
 */
#ifndef SIMD_SIM_DEVICE_H
#define SIMD_SIM_DEVICE_H

#include <ach/driver.h>
#include <ach/interface/common.h>

#include "agenda.h"
#include "noise.h"
#include "physics/mechanism.h"
#include "rate.h"
#include "world.h"

/* Most kinds of values of one device; each has its own noise and quantum. */
#define SIMD_GRAINS 4

struct simd_simdev;

struct simd_kind {
    uint16_t interf;
    size_t size;                  /* of the whole struct */
    unsigned grains;              /* kinds of values, each with noise and quantum; 0: no data */
    const uint8_t (*messages)[2]; /* types and subtypes that it handles; ends with 0, 0 */

    /* Read the kind's own options. Errors go to ach_section_refuse or ach_errstr_set. */
    ach_status_t (*options)(struct simd_simdev *d, ach_section_t *o);
    void (*finish)(struct simd_simdev *d); /* frees what options has allocated; may be NULL */

    /* Sample and publish; the mechanism is at now. This and the next two may be NULL. */
    ach_status_t (*sample)(struct simd_simdev *d);

    /* As process of a driver. The body is not NULL, and the mechanism is at now. */
    ach_status_t (*command)(struct simd_simdev *d, const ach_message_t *m);

    /* As command, but call simd_reach before reading the mechanism; the body may be NULL. */
    ach_status_t (*request)(struct simd_simdev *d, const ach_message_t *m);
};

/* Messages held back for their latency, oldest first. */
struct simd_held;
struct simd_holds {
    struct simd_held *first, *last;
};

struct simd_simdev {
    const struct simd_kind *kind;
    ach_driver_t *driver;
    struct simd_world *world;
    struct phys_mechanism *mechanism; /* NULL: none given, for sim_world only */
    ach_address_t address;
    unsigned rank;

    double hertz;
    struct simd_rate rate;
    int64_t latency, command_latency; /* ns */
    struct simd_grain grains[SIMD_GRAINS];
    uint64_t seed, random;
    unsigned refused; /* commands so far */
    bool running, off;

    struct simd_agenda_item next; /* the next sample */
    uint64_t k;                   /* number of the next sample */
    struct simd_holds samples, commands;
};

ach_status_t simd_create(ach_driver_t *driver, ach_section_t *options, const struct simd_kind *kind,
                         void **state);

/* Set up the agenda item; kind, driver, world and rank are set already. */
void simd_begin(struct simd_simdev *d);

/* The driver's functions of the same names. */
void simd_destroy(ach_driver_t *driver, void *state);
ach_status_t simd_setup(ach_driver_t *driver, void *state);
void simd_shutdown(ach_driver_t *driver, void *state);
ach_status_t simd_process(ach_driver_t *driver, void *state, const ach_message_t *m);

#define SIMD_CLASS(name_, create_)                                                                 \
    {                                                                                              \
        .version = ACH_DRIVER_VERSION, .flags = ACH_DRIVER_INLINE, .name = (name_),                \
        .create = (create_), .destroy = simd_destroy, .setup = simd_setup,                         \
        .shutdown = simd_shutdown, .process = simd_process                                         \
    }

/* In options: the body that an option names; default: the first one. */
size_t simd_body(struct simd_simdev *d, ach_section_t *o, const char *name);

/* In options: the joint that value `index` of an option names. */
size_t simd_joint(struct simd_simdev *d, ach_section_t *o, const char *name, size_t index);

/* In options: "size" [length width height]. */
ach_bbox3d_t simd_size(ach_section_t *o);

/* In options: "pose" [x y z roll pitch yaw], on the body. */
ach_pose3d_t simd_mount(ach_section_t *o);

/* In sample: apply noise and quantum of kind `grain` to a true value. */
double simd_sense(struct simd_simdev *d, unsigned grain, double value);

/* In sample: publish after the latency, with the present time as the timestamp. */
ach_status_t simd_publish(struct simd_simdev *d, uint8_t subtype, const void *body);

/* Move the device's mechanism to now. */
ach_status_t simd_reach(struct simd_simdev *d);

/* Change the rate from now on. False: the rate is out of range. */
bool simd_set_rate(struct simd_simdev *d, double hertz);

/* Stop or resume sampling. */
void simd_power(struct simd_simdev *d, bool on);

/* Answer a request. */
ach_status_t simd_ack(struct simd_simdev *d, const ach_message_t *m, const void *body);

#endif
