/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - the simulated robot and its devices
 *
 * Each device has a file with up to three functions: options (once, when the driver
 * is made), process (a message to it) and publish (when its time has come).
 */
#ifndef ACHI_SIM_H
#define ACHI_SIM_H

#include <ach.h>
#include <ach/driver.h>
#include <ach/interfaces.h>

#include "motion.h"

/* A device that the config file may ask for. */
struct achi_sim_device {
    bool there;
    ach_address_t address;
};

/* Something on the robot that senses. */
struct achi_sim_sensor {
    ach_pose2d_t mount; /* on the robot */
    bool moved;         /* and nobody was told yet */
    bool off;
    double rate; /* Hz */
};

struct achi_sim_scanner {
    struct achi_sim_sensor sensor;
    double min_angle, max_angle, resolution, max_range, noise;
    uint32_t id; /* of the next scan */
    unsigned count;
    float *ranges;
};

struct achi_sim_sonar {
    struct achi_sim_sensor sensor;
    unsigned count; /* all around */
    double cone, max_range;
};

struct achi_sim_bumpers {
    struct achi_sim_sensor sensor;
    unsigned count; /* all around */
    int pressed;    /* -1: none */
};

struct achi_sim {
    ach_driver_t *driver;
    struct achi_sim_device position, laser, ranger, bumper, sonar, simulation, map;

    struct achi_sim_world world;
    struct achi_sim_motion motion;
    struct achi_sim_scanner scanner;
    struct achi_sim_sonar sonars;
    struct achi_sim_bumpers bumpers;
    char model[64]; /* what the simulation calls the robot */
    ach_pose2d_t start;
    uint64_t seed;
    double wheelbase, position_rate;

    bool drive_clock, paused;
    double step;    /* s of one tick */
    double began;   /* when tick 0 was, on the robot's clock */
    uint64_t ticks; /* done */
};

/* When the present tick is. */
double achi_sim_now(const struct achi_sim *s);

/* Whether something with this rate is to happen in this tick. */
bool achi_sim_due(const struct achi_sim *s, double rate);

/* Take a device if "provides" has it, and say which messages it understands, up to 0, 0. */
ach_status_t achi_sim_provide(struct achi_sim *s, uint16_t interf, const uint8_t (*messages)[2],
                              struct achi_sim_device *device);

/* An option of two numbers: lengths, and angles. */
struct achi_sim_pair achi_sim_pair_option(ach_section_t *o, const char *name,
                                          struct achi_sim_pair fallback);

/* An option of a pose: [x y angle]. */
ach_pose2d_t achi_sim_pose_option(ach_section_t *o, const char *name, ach_pose2d_t fallback);

bool achi_sim_finite(const ach_pose2d_t *pose);
ach_pose3d_t achi_sim_pose3d(const ach_pose2d_t *pose);

/* Put the robot there. False: it does not fit. */
bool achi_sim_place(struct achi_sim *s, const ach_pose2d_t *pose);

/* As after its setup. */
void achi_sim_reset(struct achi_sim *s);

ach_status_t achi_sim_position_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_position_process(struct achi_sim *s, const ach_message_t *m);
void achi_sim_position_publish(struct achi_sim *s);
void achi_sim_position_watch(struct achi_sim *s); /* whether the last command is too old */

ach_status_t achi_sim_scanner_options(struct achi_sim *s, ach_section_t *o);
void achi_sim_scanner_scan(struct achi_sim *s);
bool achi_sim_scanner_set(struct achi_sim_scanner *scanner, double min_angle, double max_angle,
                          double resolution, double max_range);

ach_status_t achi_sim_laser_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_laser_process(struct achi_sim *s, const ach_message_t *m);
void achi_sim_laser_publish(struct achi_sim *s);

ach_status_t achi_sim_ranger_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_ranger_process(struct achi_sim *s, const ach_message_t *m);
void achi_sim_ranger_publish(struct achi_sim *s);

ach_status_t achi_sim_bumper_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_bumper_process(struct achi_sim *s, const ach_message_t *m);
void achi_sim_bumper_publish(struct achi_sim *s);

ach_status_t achi_sim_sonar_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_sonar_process(struct achi_sim *s, const ach_message_t *m);
void achi_sim_sonar_publish(struct achi_sim *s);

ach_status_t achi_sim_simulation_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_simulation_process(struct achi_sim *s, const ach_message_t *m);

ach_status_t achi_sim_map_options(struct achi_sim *s, ach_section_t *o);
ach_status_t achi_sim_map_process(struct achi_sim *s, const ach_message_t *m);

#endif
