/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * own.h - a private copy of libach, which is not interposed
 *
 * Notes and gos must not become events of the simulation themselves. So this code
 * contains a copy of libach with other symbol names and with the kernel's time. This header is
 * included before everything else, by the copy and by its users.
 */
#ifndef SIMC_OWN_H
#define SIMC_OWN_H

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "raw.h"

#define syscall simc_own_syscall

static inline int simc_own_clock_gettime(clockid_t clock, struct timespec *t)
{
    return (int)syscall(SYS_clock_gettime, clock, t);
}

static inline int simc_own_nanosleep(const struct timespec *t, struct timespec *left)
{
    return (int)syscall(SYS_nanosleep, t, left);
}

#define clock_gettime simc_own_clock_gettime
#define nanosleep simc_own_nanosleep

/* Generated from libach.map: #define ach_NAME achi_own_NAME for all exported functions. */
#include "own_names.h"

#endif
