/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * child.h - starting a process in a group of its own, and what became of it
 */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cop.h"

/* Start the command with all signals as they were. 0: it cannot be run, see errno. */
pid_t child_start(const struct cop_options *options, const sigset_t *mask);

/*
 * Collect processes that ended, also those that the child left to us. True: the
 * child is among them; what it leaves in its group is killed.
 */
bool child_reap(pid_t child, int *status);

/* A wait status as the exit status of a shell: 128 and the signal. */
int child_exit_status(int status);

#endif
