/* SPDX-License-Identifier: BSD-3-Clause */
/* futex.h - the system call futex in virtual time */
#ifndef ACHI_PRELOAD_FUTEX_H
#define ACHI_PRELOAD_FUTEX_H

#include "preload.h"

#define ACHI_FUTEX_UNKNOWN (-100000) /* no errno: an operation that is not covered */

/*
 * Returns the negative errno on errors. t: the timeout, or NULL. trapped: the caller's wake-ups
 * are the kernel's, so look at the word after each step of the world.
 */
long achi_futex(const long a[6], const struct timespec *t, bool trapped);

/* In a child of fork nobody waits. */
void achi_futexes_forget(void);

#endif
