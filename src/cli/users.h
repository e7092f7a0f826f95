/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.h - which processes have channels open, and how
 *
 * /proc tells which files a process has mapped. A handle that may put maps its
 * channel for writing; whether it ever puts, nobody sees. A handle that was
 * opened read-only only reads. Handles of kernel channels map nothing for
 * writing; there the descriptor tells. One sees one's own processes, and root
 * sees all of its PID namespace but those that have privileges that it lacks:
 * in a container, process 1 may have been started from outside with more.
 * This process is left out.
 */
#ifndef USERS_H
#define USERS_H

#include <ach.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "json.h"
#include "table.h"

struct user {
    pid_t pid;
    char process[16]; /* its name, as the kernel has it */
    char channel[ACH_CHAN_NAME_MAX];
    enum ach_map map;
    uint64_t inode;
    bool writes; /* it may put */
};

struct users {
    struct user *items;
    size_t n;
    size_t hidden; /* processes that could not be looked at */
};

/* Look at all processes anew. Without memory or /proc, it finds fewer. */
void users_look(struct users *u);

/* The processes of a channel: "driver:123,planner:456", or "-"; those that may put, or only read. */
void users_cell(struct table *t, const struct users *u, const char *channel, const ach_info_t *info,
                bool writes);

/* The same as a member of an open object. */
void users_json(const struct users *u, const char *channel, const ach_info_t *info, struct json *j);

void users_finish(struct users *u);

#endif
