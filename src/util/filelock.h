/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filelock.h - a lock on a file that a process with read access cannot take
 *
 * A process that may only read a file can take any lock of flock(2), and so keep the file's owner
 * out. A write lock of fcntl(2) needs a descriptor for writing. A reader's read lock, which would
 * also keep us out, is reported as FILELOCK_READER. The lock belongs to the open file: a child of
 * fork shares it, exec drops it, and it ends when the last of them closes the file.
 */
#ifndef UTIL_FILELOCK_H
#define UTIL_FILELOCK_H

#include <stdbool.h>

enum filelock {
    FILELOCK_TAKEN,
    FILELOCK_WRITER, /* another open file holds the write lock */
    FILELOCK_READER, /* no write lock, but a reader's lock keeps us from it */
    FILELOCK_FAILED  /* errno says why */
};

/* The file must be open for writing. */
enum filelock filelock_take(int fd);

/* Is it certain that no open file holds the write lock? The file may be open for reading only. */
bool filelock_free(int fd);

/* Does an open file certainly hold the write lock? The file may be open for reading only. */
bool filelock_held(int fd);

#endif
