/* SPDX-License-Identifier: BSD-3-Clause */
/* trap.h - system calls that the program makes without the C library's functions */
#ifndef SIMP_PRELOAD_TRAP_H
#define SIMP_PRELOAD_TRAP_H

#include <signal.h>
#include <stdbool.h>

/* Trap these calls here and in all child processes. Ends the process if that is impossible. */
void simp_trap_begin(void);

/* Handle a SIGSYS that is no trap as the program asked. False: its action is SIG_DFL. */
bool simp_trap_other(int signo, siginfo_t *info, void *context);

#endif
