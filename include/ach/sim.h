/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - time for controllers, real or simulated
 *
 * A controller that takes its time from here runs unchanged on the robot and in a
 * simulation: there the time is the simulation's, here it is CLOCK_MONOTONIC.
 * Programs that know nothing of this header run in a simulation as well: `ach
 * sim` starts them so that they see the simulation's time in all usual calls.
 *
 *     ach_period_t period;
 *     ach_period_init(&period, 1000000);
 *     for (;;) {
 *         ach_period_wait(&period, NULL);
 *         ... sense, think, act ...
 *     }
 */
#ifndef ACH_SIM_H
#define ACH_SIM_H

#include <ach/status.h>
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

/* A steady rate. */
typedef struct ach_period {
    int64_t length; /* nanoseconds */
    int64_t next;   /* when the next one begins */
} ach_period_t;

/**
 * ach_period_init - a steady rate from now on
 * @period: the period
 * @length: nanoseconds, more than 0
 *
 * Threads: any. Allocates: no. Blocks: no.
 *
 * Returns: ACH_OK; ACH_EINVAL.
 *
 * Since: 3.1
 */
ach_status_t ach_period_init(ach_period_t *period, int64_t length);

/**
 * ach_period_wait - sleep until the next period begins
 * @period: the period
 * @missed: set to the number of periods that began while the last one was worked on;
 *          NULL: not wanted
 *
 * Periods that were missed are left out: the next one begins on the grid.
 *
 * Threads: any. Allocates: no. Blocks: until then.
 *
 * Returns: as ach_sim_sleep_until.
 *
 * Since: 3.1
 */
ach_status_t ach_period_wait(ach_period_t *period, uint64_t *missed);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
