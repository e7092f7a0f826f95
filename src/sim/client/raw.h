/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * raw.h - system calls of the simulation itself
 *
 * A filter traps the system calls of a controller that ask the time or wait for it. Those of
 * the simulation come from one page at an address that is the same in all its processes: the
 * filter lets that page through, also in programs that are executed later.
 */
#ifndef ACHI_SIM_RAW_H
#define ACHI_SIM_RAW_H

#include <stdbool.h>
#include <stdint.h>

#define ACHI_RAW_PAGE 0x6f000000ul
#define ACHI_RAW_SIZE 4096ul

/* Map the page. False: the address is taken, or the kernel maps no memory to execute. */
bool achi_raw_map(void);

/* Returns the negative errno on errors. */
long achi_raw(long number, long a, long b, long c, long d, long e, long f);

/* As syscall(2). */
long achi_own_syscall(long number, ...);

#define achi_raw3(n, a, b, c) achi_raw(n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define achi_raw5(n, a, b, c, d, e)                                                                \
    achi_raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

#endif
