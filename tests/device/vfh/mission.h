/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mission.h - a driver that sends a robot from goal to goal, and writes down its way
 *
 * It requires the position2d device that it commands, a bumper, and a simulation
 * that is paused, which it lets go. As a driver it is in step with the simulated
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
    double near;     /* m: this is the goal */
    double patience; /* s for each goal */

    /* What happened. */
    int reached;
    int done; /* atomic: no more goals, or no more patience */
    unsigned contacts;
    unsigned stalls;
    double way;         /* m */
    uint64_t signature; /* of all positions, times and contacts */
    double ended;       /* s */
    ach_pose2d_t last;
};

extern struct mission mission;
extern const ach_driver_class_t mission_class;

#endif
