/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h - opening and locking files */
#ifndef ACHI_FILE_H
#define ACHI_FILE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/types.h>

/* How to open a file that may be a pipe, a link or a terminal instead. */
#define ACHI_OPEN_FLAGS (O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC)

/*
 * Move a descriptor above those of the standard streams: in a process that
 * closed one of them, output to that stream would go into the channel.
 */
int achi_high_fd(int fd);

/*
 * Open a file read-write, or read-only if *readonly is set or writing is not permitted; then set
 * *readonly. -1 with errno.
 */
int achi_open_either(const char *path, int flags, bool *readonly);

/* Lock or unlock a byte of an open file. 0, or -1 with errno. The lock ends with the open file. */
int achi_byte_lock(int fd, off_t byte, short type);

/* Does another open file have a write lock on the byte? True also if that cannot be found out. */
bool achi_byte_written(int fd, off_t byte);

#endif
