/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device.h - what simulated devices have in common
 *
 * A device sits on a mechanism. While somebody is subscribed it samples at its rate,
 * with the mechanism at exactly the sample's time, and publishes the sample when
 * its latency is over. Commands act at the time at which they come, or a latency
 * later. All of it happens under the world's lock.
 *
 * A kind of device is a struct that begins with a struct achi_simdev, and a table:
 *
 *     static const struct achi_simdev_kind kind = {.interf = ACH_IMU_CODE, ...};
 *
 *     static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
 *     {
 *         return achi_simdev_create(driver, options, &kind, state);
 *     }
 *
 *     const ach_driver_class_t achi_sim_imu = ACHI_SIMDEV_CLASS("sim_imu", create);
 */
#ifndef ACHI_SIM_DEVICE_H
#define ACHI_SIM_DEVICE_H

#include <ach/driver.h>
#include <ach/interface/common.h>

#include "noise.h"
#include "physics/mechanism.h"
#include "rate.h"
#include "sim/agenda.h"
#include "sim/world.h"

/* Kinds of values of one device that have noise of their own. */
#define ACHI_GRAINS 4

struct achi_simdev;

struct achi_simdev_kind {
    uint16_t interf;
    size_t size;                  /* of the whole struct */
    unsigned grains;              /* kinds of values; 0: no data, and none of the options for it */
    const uint8_t (*messages)[2]; /* types and subtypes that it understands, up to 0, 0 */

    /* The kind's own options. What is wrong is refused, or has a sentence in ach_errstr. */
    ach_status_t (*options)(struct achi_simdev *d, ach_section_t *o);
    void (*finish)(struct achi_simdev *d); /* what options has allocated; may be NULL */

    /* Look and publish, with the mechanism at now. May be NULL, as those that follow. */
    ach_status_t (*sample)(struct achi_simdev *d);

    /* As process of a driver. Of a command the body is there, and the mechanism is at now. */
    ach_status_t (*command)(struct achi_simdev *d, const ach_message_t *m);

    /* Who looks at the mechanism moves it first, with achi_simdev_reach. */
    ach_status_t (*request)(struct achi_simdev *d, const ach_message_t *m);
};

/* Messages that wait until their latency is over, oldest first. */
struct achi_held;
struct achi_holds {
    struct achi_held *first, *last;
};

struct achi_simdev {
    const struct achi_simdev_kind *kind;
    ach_driver_t *driver;
    struct achi_world *world;
    struct achi_mechanism *mechanism; /* NULL: none in particular, of sim_world */
    ach_address_t address;
    unsigned rank;

    double hertz;
    struct achi_rate rate;
    int64_t latency, command_latency; /* ns */
    struct achi_grain grains[ACHI_GRAINS];
    uint64_t seed, random;
    unsigned refused; /* commands */
    bool running, off;

    struct achi_agenda_item next; /* sample */
    uint64_t k;                   /* its number */
    struct achi_holds samples, commands;
};

ach_status_t achi_simdev_create(ach_driver_t *driver, ach_section_t *options,
                                const struct achi_simdev_kind *kind, void **state);

/* Of a device that has its kind, driver, world and rank. */
void achi_simdev_begin(struct achi_simdev *d);

/* As the driver's. */
void achi_simdev_destroy(ach_driver_t *driver, void *state);
ach_status_t achi_simdev_setup(ach_driver_t *driver, void *state);
void achi_simdev_shutdown(ach_driver_t *driver, void *state);
ach_status_t achi_simdev_process(ach_driver_t *driver, void *state, const ach_message_t *m);

#define ACHI_SIMDEV_CLASS(name_, create_)                                                          \
    {                                                                                              \
        .version = ACH_DRIVER_VERSION, .flags = ACH_DRIVER_INLINE, .name = (name_),                \
        .create = (create_), .destroy = achi_simdev_destroy, .setup = achi_simdev_setup,           \
        .shutdown = achi_simdev_shutdown, .process = achi_simdev_process                           \
    }

/* In options: the body that an option names; without it the first one. */
size_t achi_simdev_body(struct achi_simdev *d, ach_section_t *o, const char *name);

/* In options: a joint by the option's value of that index. */
size_t achi_simdev_joint(struct achi_simdev *d, ach_section_t *o, const char *name, size_t index);

/* In options: "size" [length width height]. */
ach_bbox3d_t achi_simdev_size(ach_section_t *o);

/* In options: "pose" [x y z roll pitch yaw], on the body. */
ach_pose3d_t achi_simdev_mount(ach_section_t *o);

/* In sample: a value as the sensor says it; which kind of value says which noise. */
double achi_simdev_sense(struct achi_simdev *d, unsigned grain, double value);

/* In sample: publish, with the present time, when the latency is over. */
ach_status_t achi_simdev_publish(struct achi_simdev *d, uint8_t subtype, const void *body);

ach_status_t achi_simdev_reach(struct achi_simdev *d);

/* From now on at another rate. False: it cannot be. */
bool achi_simdev_set_rate(struct achi_simdev *d, double hertz);

/* No samples any more, or again. */
void achi_simdev_power(struct achi_simdev *d, bool on);

/* Answer a request. */
ach_status_t achi_simdev_ack(struct achi_simdev *d, const ach_message_t *m, const void *body);

#endif
