/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raw.h - system calls of the simulation itself
 *
 * A seccomp filter traps the system calls of a controller that read or wait for time. The
 * simulation's own come from one page, at the same address in all its processes: the filter
 * allows calls from that page, also in programs that are executed later.
 */
#ifndef SIMC_RAW_H
#define SIMC_RAW_H

#include <stdbool.h>
#include <stdint.h>

#define SIMC_RAW_PAGE 0x6f000000ul
#define SIMC_RAW_SIZE 4096ul

/* Map the page. False: the address is in use, or executable mappings are forbidden. */
bool simc_raw_map(void);

/* Returns the negative errno on errors. */
long simc_raw(long number, long a, long b, long c, long d, long e, long f);

/* As syscall(2). */
long simc_own_syscall(long number, ...);

#define simc_raw3(n, a, b, c) simc_raw(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define simc_raw5(n, a, b, c, d, e)                                                                \
    simc_raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

#endif
