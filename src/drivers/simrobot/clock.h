/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - when the next tick of the simulation is */
#ifndef ACHI_SIM_CLOCK_H
#define ACHI_SIM_CLOCK_H

#include "sim.h"

struct achi_sim_clock {
    double wall; /* when the present speed began, on the monotonic clock */
    double from; /* and which tick that was */
    double speed;
};

ach_status_t achi_sim_clock_options(struct achi_sim *s, ach_section_t *o);

/* The present tick is now. */
void achi_sim_clock_rebase(struct achi_sim *s);

/* Wait for the next tick; messages are processed meanwhile. False: the driver is to stop. */
bool achi_sim_clock_next(struct achi_sim_clock *c, struct achi_sim *s);

/* Let others finish what they do now, if the clock is ours. */
void achi_sim_clock_settle(struct achi_sim *s);

#endif
