/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.h - a system call in virtual time */
#ifndef SIMP_PRELOAD_DISPATCH_H
#define SIMP_PRELOAD_DISPATCH_H

#include "preload.h"

/*
 * Execute a system call in virtual time. Calls that cannot be simulated are refused; calls that do
 * not depend on time go to the kernel. Returns a negative errno on errors. trapped: the call came
 * from the seccomp filter, not from syscall().
 */
long simp_dispatch(long number, const long a[6], bool trapped);

/* System calls whose arguments differ from the C library's functions. Errors: a negative errno. */
long simp_sigaction_number(const long a[6]);
long simp_waitid_number(const long a[6]);

/* Bit that marks a system call number of the x32 ABI. */
#ifdef __x86_64__
#define SIMP_X32 0x40000000
#else
#define SIMP_X32 0
#endif

/* Refuse a system call of another ABI. */
void simp_refuse_foreign(void);

#endif
