/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * users.h - which processes have channels open, and how
 *
 * /proc/PID/maps lists the files that a process has mapped. A handle that may put
 * maps its channel writable; whether it ever puts is not visible. A read-only
 * handle maps it read-only. Kernel channels are never mapped writable; there the
 * open mode of the descriptor decides. A user sees their own processes. Root sees
 * all of its PID namespace except processes with capabilities that it lacks: in a
 * container, process 1 may have been started from outside with more. This process
 * is left out.
 */
#ifndef USERS_H
#define USERS_H

#include <ach.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "json.h"

struct user {
    pid_t pid;
    char process[16]; /* its name, from /proc/PID/comm */
    char channel[ACH_CHAN_NAME_MAX];
    enum ach_map map;
    uint64_t inode;
    bool writes; /* has it open for putting */
};

struct users {
    struct user *items;
    size_t n;
    size_t hidden; /* processes whose maps we may not read */
};

/* Scan all processes again. Without memory or /proc it finds fewer. */
void users_look(struct users *u);

/* Has this process that channel open? */
bool users_match(const struct user *user, const char *channel, const ach_info_t *info);

/* Add those of a channel to an open object. */
void users_json(const struct users *u, const char *channel, const ach_info_t *info, struct json *j);

void users_finish(struct users *u);

#endif
