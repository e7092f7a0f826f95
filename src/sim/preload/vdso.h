/* SPDX-License-Identifier: BSD-3-Clause */
/* vdso.h - the vDSO: kernel functions that return the time without a system call */
#ifndef SIMP_PRELOAD_VDSO_H
#define SIMP_PRELOAD_VDSO_H

#include <stdbool.h>

/* Replace each by its system call, which the filter traps. False: the kernel refuses the change. */
bool simp_vdso_hide(void);

#endif
