/* SPDX-License-Identifier: BSD-3-Clause */
/* futex.h - the system call futex in virtual time */
#ifndef SIMP_PRELOAD_FUTEX_H
#define SIMP_PRELOAD_FUTEX_H

#include "preload.h"

#define SIMP_FUTEX_UNKNOWN (-100000) /* the operation is not supported; not a value of errno */

/*
 * Returns a negative errno on errors. t: the timeout, or NULL. trapped: the waker may call the
 * kernel directly, so check the word after each step of the world.
 */
long simp_futex(const long a[6], const struct timespec *t, bool trapped);

/* Reset in a child of fork: it has no waiters. */
void simp_futexes_forget(void);

#endif
