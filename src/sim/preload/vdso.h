/* SPDX-License-Identifier: BSD-3-Clause */
/* vdso.h - the functions of the kernel that tell the time without a system call */
#ifndef ACHI_PRELOAD_VDSO_H
#define ACHI_PRELOAD_VDSO_H

#include <stdbool.h>

/* Make each a system call, which the filter traps. False: the kernel does not let us. */
bool achi_vdso_hide(void);

#endif
