/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cop.h - start, watch, restart and stop one child
 *
 * The cop is a single thread. It keeps its signals blocked and accepts them one by
 * one with sigtimedwait, so that it needs no handlers and no locks.
 */
#ifndef TOOLS_COP_H
#define TOOLS_COP_H

#include <stdbool.h>
#include <stdint.h>

#include "pidfile.h"

struct cop_options {
    char **command;
    int out_fd;   /* the child's standard output; negative: inherited */
    int err_fd;   /* the child's standard error; negative: inherited */
    bool restart; /* when the child fails */
    bool always;  /* also when it exits with status 0 */
    bool wait;    /* the child reports with SIGUSR1 that it has started */
    bool tie;     /* kill the child when the cop dies */
    bool verbose;
    uint64_t max_restarts; /* in a row; UINT64_MAX: not given */
    double wait_seconds;   /* time limit for SIGUSR1, with wait */
    double grace;          /* from SIGTERM to SIGKILL; negative: no SIGKILL */
    double delay;          /* before the first restart; doubles with each */
    double max_delay;
    double stable; /* a run of at least this many seconds resets restarts and delay */
};

struct cop_files {
    struct pidfile cop;
    struct pidfile child;
};

/* Called once: status is 0 if the child has started, else the exit status. */
typedef void cop_started_fun(void *cx, int status);

/* Block the signals that the cop waits for. Call it before any can be sent. */
void cop_block_signals(void);

/* Restore the signal mask from before cop_block_signals. */
void cop_unblock_signals(void);

/* Run until the child is not to be restarted, or a signal ends it. Returns the exit status. */
int cop_run(const struct cop_options *options, struct cop_files *files, cop_started_fun *started,
            void *cx);

#endif
