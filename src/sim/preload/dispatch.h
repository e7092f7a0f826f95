/* SPDX-License-Identifier: BSD-3-Clause */
/* dispatch.h - a system call in virtual time */
#ifndef ACHI_PRELOAD_DISPATCH_H
#define ACHI_PRELOAD_DISPATCH_H

#include "preload.h"

/*
 * Does what the kernel would do, in virtual time; a call that cannot be right is refused, and all
 * others are the kernel's. Returns the negative errno on errors. trapped: the call was an
 * instruction of the program itself, or of the C library, not a call of syscall().
 */
long achi_dispatch(long number, const long a[6], bool trapped);

/* Those with other arguments than the functions of the C library. They return as the kernel does. */
long achi_sigaction_number(const long a[6]);
long achi_waitid_number(const long a[6]);

/* Bit in the numbers of the second table of calls that x86-64 kernels may have. */
#ifdef __x86_64__
#define ACHI_X32 0x40000000
#else
#define ACHI_X32 0
#endif

/* Refuse a call with the numbers of another table. */
void achi_refuse_foreign(void);

#endif
