/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - descriptors that belong to the simulation: timers and channels
 *
 * Each is an eventfd. Before anybody looks at descriptors, all of them are made to say
 * what is true at the looking thread's time.
 */
#ifndef ACHI_PRELOAD_FILES_H
#define ACHI_PRELOAD_FILES_H

#include "preload.h"

enum achi_file_kind { ACHI_FILE_TIMER = 1, ACHI_FILE_CHANNEL };

struct ach_channel;

struct achi_file {
    enum achi_file_kind kind;
    int fd;
    bool up; /* it is readable */
    /* A timer: when it expires next, 0 if never, and then how often. */
    clockid_t clock;
    int64_t next, interval;
    /* A channel. */
    struct ach_channel *chan;
    achi_event_t event;
    struct achi_file *link;
};

/*
 * Nothing below changes or frees a file while somebody has the lock. With it, the time is
 * what it was when the thread last asked.
 */
void achi_files_lock(void);
void achi_files_unlock(void);

/* NULL: not one of ours. */
struct achi_file *achi_file_find(int fd);

/* An eventfd with these flags. NULL with errno. */
struct achi_file *achi_file_add(enum achi_file_kind kind, int flags);

/* Forget it; the caller closes the descriptor. */
void achi_file_remove(int fd);

/* In a child of fork: they are the parent's. */
void achi_files_forget(void);

/* Make them say what is true now. The one is called with the lock held. */
void achi_file_refresh(struct achi_file *f);
void achi_files_refresh(void);

/* What happens when a timer is made or set. */
achi_event_t achi_files_event(void);

/*
 * As achi_block, for a look at descriptors: wait for what timers and channels do, too.
 * foreign: and for what the simulation does not know. Returns 1 if look found something, 0 if the
 * time has come, -1 with EINTR if a signal handler ended the wait.
 */
int achi_watch(int64_t until, bool foreign, enum achi_restart signals, achi_look_fun *look,
               void *cx);

/* Happens when a process of the simulation writes into a pipe or socket. */
achi_event_t achi_stream_event(void);

/* What the event says that happens when an eventfd of this process is written. */
achi_event_t achi_bell_event(void);

/* The descriptor is an eventfd, or not any more. */
void achi_bell_set(int fd, bool is_bell);

/* A copy is one if the other is. */
void achi_bell_copy(int fd, int copy);

/* A descriptor is about to be used: ends the run if it is a timer of the parent. */
void achi_file_check(int fd);

/* copy was made as a copy of fd, or -1. Ends the run if fd is a timer. */
void achi_file_copied(int fd, int copy);

/* Does the descriptor change by itself, outside the simulation? */
bool achi_file_foreign(int fd);

/* Has the channel something to get? */
bool achi_channel_news(struct ach_channel *chan);

#endif
