/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sync.h - bring a file to the disk while it grows, so that a power failure costs seconds at most
 *
 * A thread of its own waits for the disk. The thread that writes goes on meanwhile, into the kernel's memory.
 */
#ifndef RECORD_SYNC_H
#define RECORD_SYNC_H

#include <pthread.h>
#include <stdbool.h>

struct record_sync {
    int fd; /* negative: there is no file */
    bool started, wanted, ended;
    int error; /* errno of a failed sync */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* For a file, a pipe or a device. Without memory for a thread, the file is synced at its end only. */
void record_sync_begin(struct record_sync *s, int fd);

/* Bring what was written so far to the disk; does not wait. False: that failed before; see errno. */
bool record_sync_want(struct record_sync *s);

/* Bring everything to the disk, and end. False: see errno. Nothing happens if it has not begun. */
bool record_sync_end(struct record_sync *s);

#endif
