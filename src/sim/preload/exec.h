/* SPDX-License-Identifier: BSD-3-Clause */
/* exec.h - the environment of the programs that a controller executes */
#ifndef ACHI_PRELOAD_EXEC_H
#define ACHI_PRELOAD_EXEC_H

#include "preload.h"

/* Remember the environment that made this process part of the simulation. */
void achi_exec_begin(void);

/* The same environment, with what the simulation needs. */
char *const *achi_exec_environment(char *const env[]);

#endif
