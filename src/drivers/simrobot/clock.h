/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - timing of the simulation's ticks */
#ifndef DRV_SIM_CLOCK_H
#define DRV_SIM_CLOCK_H

#include "sim.h"

struct drv_sim_clock {
    double wall; /* when the present speed was set, on CLOCK_MONOTONIC */
    double from; /* the tick at that time */
    double speed;
};

ach_status_t drv_sim_clock_options(struct drv_sim *s, ach_section_t *o);

/* Make the current tick coincide with the robot's present time. */
void drv_sim_clock_rebase(struct drv_sim *s);

/* Wait for the next tick; messages are processed meanwhile. False: the driver must stop. */
bool drv_sim_clock_next(struct drv_sim_clock *c, struct drv_sim *s);

/* With drive_clock: let other drivers finish their work at the present time. */
void drv_sim_clock_settle(struct drv_sim *s);

#endif
