/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mission.h - a driver that sends a robot from goal to goal, and records its path
 *
 * It requires the position2d device that it commands, a bumper, and a simulation
 * that is paused, which it resumes. As a driver it is in step with the simulated
 * clock, so that each run is the same.
 */
#ifndef MISSION_H
#define MISSION_H

#include <ach/driver.h>
#include <ach/interfaces.h>

#define MISSION_GOALS_MAX 16

struct mission {
    /* Set by the test. */
    ach_pose2d_t goals[MISSION_GOALS_MAX];
    int count;
    double near;     /* m: a goal is reached within this distance */
    double patience; /* s: timeout of each goal */

    /* Results. */
    int reached;
    int done; /* atomic: all goals are reached, or one has timed out */
    unsigned contacts;
    unsigned stalls;
    double way;         /* m: length of the path */
    uint64_t signature; /* hash of all positions and their times */
    double ended;       /* s: time of the end */
    ach_pose2d_t last;
};

extern struct mission mission;
extern const ach_driver_class_t mission_class;

#endif
