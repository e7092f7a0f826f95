/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pidfile.h - a file with a process id, locked as long as its owner lives
 *
 * The lock is on the open file: a child of fork keeps it, exec drops it.
 */
#ifndef TOOLS_PIDFILE_H
#define TOOLS_PIDFILE_H

#include <stdbool.h>
#include <sys/types.h>

struct pidfile {
    char *path; /* NULL: there is none, and everything below does nothing */
    int fd;
};

/*
 * Make the file and lock it. On false it has complained. A NULL path is fine. What is no
 * regular file, or holds anything but a process id, is left as it is.
 */
bool pidfile_init(struct pidfile *f, const char *path);

/* Is it the file of that name? */
bool pidfile_is(const struct pidfile *f, const char *path);

/* The file's process is this one now; 0: there is none. On false it has complained. */
bool pidfile_set(struct pidfile *f, pid_t pid);

/* Remove the lock, and the file unless another one has its name by now. */
void pidfile_finish(struct pidfile *f);

#endif
