/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - the environment of the programs that a controller executes */
#ifndef SIMP_PRELOAD_EXEC_H
#define SIMP_PRELOAD_EXEC_H

#include "preload.h"

/* Save the environment variables that made this process part of the simulation. */
void simp_exec_begin(void);

#endif
