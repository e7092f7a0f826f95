/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - time for controllers, real or simulated
 *
 * A controller that uses these functions for time runs unchanged on a robot and in a
 * simulation. In a simulation the time is simulated, otherwise it is CLOCK_MONOTONIC.
 * Programs that do not use this header can run in a simulation as well: `ach sim`
 * starts them so that the usual calls return simulated time.
 *
 * ach_period_init and ach_period_wait, for loops with a steady rate, are in ach.h
 * and libach. libachsim has them too, for programs linked with an older release.
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
 * Threads: any. Allocates: at the first call. Blocks: at the first call, until the
 * simulation has registered this process.
 *
 * Returns: true if it is; false on a robot.
 *
 * Since: 3.1
 */
bool ach_sim_active(void);

/**
 * ach_sim_now - the current time
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
 * @time: on the clock of ach_sim_now; a time in the past returns at once
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
