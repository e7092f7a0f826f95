/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cop.h - one child, started, watched, restarted and ended
 *
 * The cop is a single thread that keeps its signals blocked and takes them one
 * by one, so that nothing happens at two places at once.
 */
#ifndef TOOLS_COP_H
#define TOOLS_COP_H

#include <stdbool.h>
#include <stdint.h>

#include "pidfile.h"

struct cop_options {
    char **command;
    int out_fd;   /* the child's standard output; negative: as it is */
    int err_fd;   /* the child's standard error; negative: as it is */
    bool restart; /* when the child fails */
    bool always;  /* also when it ends well */
    bool wait;    /* it has started only when it says so with SIGUSR1 */
    bool tie;     /* it dies when the cop is killed */
    bool verbose;
    uint64_t max_restarts; /* in a row */
    double wait_seconds;   /* so long may it take to say so */
    double grace;          /* from SIGTERM to SIGKILL */
    double delay;          /* before the first restart; doubles with each */
    double max_delay;
    double stable; /* a run so long counts as a good one */
};

struct cop_files {
    struct pidfile cop;
    struct pidfile child;
};

/* Told once whether the child has started, with the exit status if it has not. */
typedef void cop_started_fun(void *cx, int status);

/* Block the signals that the cop takes. Call it before anything can send one. */
void cop_block_signals(void);

/* As it was before. */
void cop_unblock_signals(void);

/* Run until the child is not to be restarted, or a signal ends it. Returns the exit status. */
int cop_run(const struct cop_options *options, struct cop_files *files, cop_started_fun *started,
            void *cx);

#endif
