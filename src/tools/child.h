/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * child.h - start a process in its own process group, and collect its exit status
 */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cop.h"

/* Start the command with the signal mask `mask`. 0: it cannot be run, see errno. */
pid_t child_start(const struct cop_options *options, const sigset_t *mask);

/*
 * Reap processes that ended, also orphans of the child. True: the child is among
 * them; then the rest of its process group is killed, unless it is to be spared
 * and the child ended well.
 */
bool child_reap(pid_t child, bool spare, int *status);

/* A wait status as the exit status of a shell: 128 and the signal. */
int child_exit_status(int status);

#endif
