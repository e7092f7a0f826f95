/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * newfile.h - a channel's file while it is being created
 *
 * A new file has no name, so that a maker that dies leaves nothing. It has a
 * temporary name for a moment when it replaces another file, and from the start
 * where the file system has no O_TMPFILE. The name is .achshm-NAME.PID.NUMBER,
 * and the maker holds a lock on the file. The next process that replaces the
 * same channel removes such files that are not locked (see sweep.h).
 */
#ifndef ACHI_NEWFILE_H
#define ACHI_NEWFILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct newfile {
    int fd;
    char path[PATH_MAX]; /* "" while it has no temporary name */
};

/* All return 0, or -1 with errno. */

/* Create the file for the channel name, with this mode minus the umask. */
int achi_newfile_open(struct newfile *d, const char *name, mode_t mode);

/* Allocate the file's memory now, so that no later access lacks memory. */
int achi_newfile_reserve(const struct newfile *d, uint64_t size);

/* Give the file the channel's name, if no other file has it. */
int achi_newfile_publish(struct newfile *d, const char *path);

/*
 * Give the file the channel's name in place of the file that has it now. If
 * d->path is not empty afterwards, it names that other file.
 */
int achi_newfile_replace(struct newfile *d, const char *name, const char *path);

/* Remove the file d->path, if any: the new file itself, or the file that it replaced. */
void achi_newfile_unname(struct newfile *d);

/* Close the file, and remove it unless it was published. Keeps errno. */
void achi_newfile_close(struct newfile *d);

#endif
