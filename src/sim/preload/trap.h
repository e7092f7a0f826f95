/* SPDX-License-Identifier: BSD-3-Clause */
/* trap.h - system calls that the program makes without the C library's functions */
#ifndef ACHI_PRELOAD_TRAP_H
#define ACHI_PRELOAD_TRAP_H

#include <signal.h>
#include <stdbool.h>

/* Trap them in this process and in all that it starts. Ends the process if that is impossible. */
void achi_trap_begin(void);

/* A SIGSYS that is no trap: do what the program wants. False: it wants the usual. */
bool achi_trap_other(int signo, siginfo_t *info, void *context);

#endif
