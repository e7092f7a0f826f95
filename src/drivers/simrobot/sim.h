/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - the simulated robot and its devices
 *
 * Each device has a file with up to three functions: options (once, when the driver is created),
 * process (handle a message to the device) and publish (when its data is due).
 */
#ifndef DRV_SIM_H
#define DRV_SIM_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interfaces.h>

#include "motion.h"

/* A device that the config file may request. */
struct drv_sim_device {
    bool there;
    ach_address_t address;
};

/* A sensor on the robot. */
struct drv_sim_sensor {
    ach_pose2d_t mount; /* on the robot */
    bool moved;         /* the mount has changed, and this is not published yet */
    bool off;
    double rate; /* Hz */
};

struct drv_sim_scanner {
    struct drv_sim_sensor sensor;
    double min_angle, max_angle, resolution, max_range, noise;
    uint32_t id; /* of the next scan */
    unsigned count;
    float *ranges;
};

#define DRV_SIM_SONARS_MAX 64

struct drv_sim_sonar {
    struct drv_sim_sensor sensor;
    unsigned count;
    double angles[DRV_SIM_SONARS_MAX]; /* where they are on the robot's rim, and point to */
    double cone, max_range;
};

struct drv_sim_bumpers {
    struct drv_sim_sensor sensor;
    unsigned count; /* spaced evenly around the robot */
    int pressed;    /* -1: none */
};

struct drv_sim {
    ach_driver_t *driver;
    struct drv_sim_device position, laser, ranger, bumper, sonar, simulation, map;

    struct drv_map world;
    struct drv_sim_motion motion;
    struct drv_sim_scanner scanner;
    struct drv_sim_sonar sonars;
    struct drv_sim_bumpers bumpers;
    char model[64]; /* the robot's name in the simulation interface */
    ach_pose2d_t start;
    uint64_t seed;
    double wheelbase, position_rate;

    bool drive_clock, paused;
    double step;    /* length of a tick, s */
    double began;   /* time of tick 0, on the robot's clock */
    uint64_t ticks; /* completed */
};

/* The time of the current tick. */
double drv_sim_now(const struct drv_sim *s);

/* Is an event of this rate due in this tick? */
bool drv_sim_due(const struct drv_sim *s, double rate);

/* Provide a device if "provides" lists it, and declare its messages; {0, 0} ends the list. */
ach_status_t drv_sim_provide(struct drv_sim *s, uint16_t interf, const uint8_t (*messages)[2],
                             struct drv_sim_device *device);

/* An option of two numbers: a length and an angle. */
struct drv_sim_pair drv_sim_pair_option(ach_section_t *o, const char *name,
                                        struct drv_sim_pair fallback);

/* An option of a pose: [x y angle]. */
ach_pose2d_t drv_sim_pose_option(ach_section_t *o, const char *name, ach_pose2d_t fallback);

bool drv_sim_finite(const ach_pose2d_t *pose);
ach_pose3d_t drv_sim_pose3d(const ach_pose2d_t *pose);

/* Place the robot. False: it does not fit there. */
bool drv_sim_place(struct drv_sim *s, const ach_pose2d_t *pose);

/* Return to the state after setup. */
void drv_sim_reset(struct drv_sim *s);

ach_status_t drv_sim_position_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_position_process(struct drv_sim *s, const ach_message_t *m);
void drv_sim_position_publish(struct drv_sim *s);
void drv_sim_position_watch(struct drv_sim *s); /* stop if the last command is too old */

ach_status_t drv_sim_scanner_options(struct drv_sim *s, ach_section_t *o);
/* False: no scan is due. */
bool drv_sim_scanner_scan(struct drv_sim *s);
/* As a client requests; 0 as resolution or range: unchanged. */
bool drv_sim_scanner_change(struct drv_sim_scanner *scanner, double min_angle, double max_angle,
                            double resolution, double max_range);

ach_status_t drv_sim_laser_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_laser_process(struct drv_sim *s, const ach_message_t *m);
void drv_sim_laser_publish(struct drv_sim *s);

ach_status_t drv_sim_ranger_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_ranger_process(struct drv_sim *s, const ach_message_t *m);
void drv_sim_ranger_publish(struct drv_sim *s);

ach_status_t drv_sim_bumper_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_bumper_process(struct drv_sim *s, const ach_message_t *m);
void drv_sim_bumper_publish(struct drv_sim *s);

ach_status_t drv_sim_sonar_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_sonar_process(struct drv_sim *s, const ach_message_t *m);
void drv_sim_sonar_publish(struct drv_sim *s);

ach_status_t drv_sim_simulation_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_simulation_process(struct drv_sim *s, const ach_message_t *m);

ach_status_t drv_sim_map_options(struct drv_sim *s, ach_section_t *o);
ach_status_t drv_sim_map_process(struct drv_sim *s, const ach_message_t *m);

#endif
