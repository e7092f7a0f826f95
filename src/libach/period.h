/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * period.h - the clock that periods run on
 *
 * In libach it is CLOCK_MONOTONIC. libachsim and its preload library have the
 * same periods on the clock of the simulation.
 */
#ifndef ACHI_PERIOD_H
#define ACHI_PERIOD_H

#include <ach.h>

int64_t achi_period_now(void);

/* Sleep until spin nanoseconds before that time, and look at the clock after that. */
enum ach_status achi_period_wait_until(int64_t time, uint64_t spin);

#endif
