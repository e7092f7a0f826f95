/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pidfile.h - a file with a process id, locked while its owner runs
 *
 * The lock belongs to the open file: a child of fork shares it, exec closes it.
 */
#ifndef TOOLS_PIDFILE_H
#define TOOLS_PIDFILE_H

#include <stdbool.h>
#include <sys/types.h>

struct pidfile {
    char *path; /* NULL: no pid file; all functions below do nothing */
    int fd;
};

/*
 * Create the file and lock it. False after complaining. The path may be NULL. A file that is not
 * regular, or holds anything but a process id, is not changed.
 */
bool pidfile_init(struct pidfile *f, const char *path);

/* Does this path name the same file? */
bool pidfile_is(const struct pidfile *f, const char *path);

/* Write a process id into the file; 0 empties it. False after complaining. */
bool pidfile_set(struct pidfile *f, pid_t pid);

/* Release the lock. Remove the file unless another file has its name by now. */
void pidfile_finish(struct pidfile *f);

#endif
