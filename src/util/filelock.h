/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * filelock.h - a lock on a file that a mere reader cannot take
 *
 * A process that may only read a file can take any lock of flock(2), and so keep the file's
 * owner out. A write lock of fcntl(2) needs a descriptor for writing; a reader's read lock, which
 * would also keep us out, is told from it. The lock belongs to the open file: a child of fork
 * keeps it, exec drops it, and it ends with the last of them.
 */
#ifndef UTIL_FILELOCK_H
#define UTIL_FILELOCK_H

enum filelock {
    FILELOCK_TAKEN,
    FILELOCK_WRITER, /* another open file has it */
    FILELOCK_READER, /* nobody has it, but a reader's lock keeps us from it */
    FILELOCK_FAILED  /* errno says why */
};

/* The file must be open for writing. */
enum filelock filelock_take(int fd);

#endif
