/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * draft.h - a channel's file in the making
 *
 * A draft has no name, so that a maker that dies leaves nothing. It needs one
 * for a moment when it takes the place of another file, and all the time where
 * the file system has no nameless files; then it is called
 * .achshm-NAME.PID.NUMBER, its maker holds a lock on it, and whoever replaces
 * the same channel next removes what nobody locks.
 */
#ifndef ACHI_DRAFT_H
#define ACHI_DRAFT_H

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* How to open a file that may be a pipe, a link or a terminal instead. */
#define ACHI_OPEN_FLAGS (O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)

struct draft {
    int fd;
    char path[PATH_MAX]; /* "" while it has no name */
};

/* All return 0, or -1 with errno. */

/* Begin a file for the channel name, with this mode less the umask. */
int achi_draft_open(struct draft *d, const char *name, mode_t mode);

/* Give the file its memory now, so that no access will ever find it missing. */
int achi_draft_reserve(const struct draft *d, uint64_t size);

/* Give the file the channel's name, if that is free. */
int achi_draft_publish(struct draft *d, const char *path);

/*
 * Give the file the channel's name, whoever has it now. What had it gets the
 * draft's name instead, if d->path is not empty afterwards.
 */
int achi_draft_replace(struct draft *d, const char *name, const char *path);

/*
 * Remove what makers of the channel name left when they died, and tell those who
 * use it. False: a file of the channel's owner or of ours could not be removed, or its
 * maker lives.
 */
bool achi_draft_sweep(const char *name);

/*
 * Move a descriptor out of the way of the standard streams: in a process that
 * closed one of them, its next message there would go into the channel.
 */
int achi_high_fd(int fd);

/* Remove the file under the draft's name, whichever that is by now. */
void achi_draft_unname(struct draft *d);

/* End: close it, and remove it if it is not a channel by now. Keeps errno. */
void achi_draft_close(struct draft *d);

#endif
