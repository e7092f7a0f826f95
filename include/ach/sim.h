/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - time for controllers, real or simulated
 *
 * A controller that takes its time from here runs unchanged on the robot and in a
 * simulation: there the time is the simulation's, here it is CLOCK_MONOTONIC.
 * Programs that know nothing of this header run in a simulation as well: `ach
 * sim` starts them so that they see the simulation's time in all usual calls.
 *
 * ach_period_init and ach_period_wait, for loops with a steady rate, are in ach.h
 * and libach. libachsim has them too, for programs that were linked before.
 */
#ifndef ACH_SIM_H
#define ACH_SIM_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/**
 * ach_sim_active - whether this process is part of a simulation
 *
 * Threads: any. Allocates: the first time. Blocks: the first time, until the simulation
 * has taken notice.
 *
 * Returns: true if it is; false on a robot.
 *
 * Since: 3.1
 */
bool ach_sim_active(void);

/**
 * ach_sim_now - what time it is
 *
 * Never goes back. In a simulation it moves with the CPU time that this thread uses, or
 * with the declared cost of a cycle.
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: nanoseconds since the simulation began, or on CLOCK_MONOTONIC.
 *
 * Since: 3.1
 */
int64_t ach_sim_now(void);

/**
 * ach_sim_sleep_until - sleep until a point in time
 * @time: as of ach_sim_now; what is over returns at once
 *
 * Threads: any. Allocates: no. Blocks: until then.
 *
 * Returns: ACH_OK; ACH_CLOSED: the simulation has ended.
 *
 * Since: 3.1
 */
ach_status_t ach_sim_sleep_until(int64_t time);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
