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

/* Nothing below changes or frees a file while somebody has the lock. */
void achi_files_lock(void);
void achi_files_unlock(void);

/* NULL: not one of ours. */
struct achi_file *achi_file_find(int fd);

/* An eventfd with these flags. NULL with errno. */
struct achi_file *achi_file_add(enum achi_file_kind kind, int flags);

/* Forget it; the caller closes the descriptor. */
void achi_file_remove(int fd);

/* Make them say what is true now. The one is called with the lock held. */
void achi_file_refresh(struct achi_file *f);
void achi_files_refresh(void);

/* What a timer or all of them do next: a virtual time. */
int64_t achi_files_next(void);

/* The event of each channel, and that of a timer being set. */
achi_event_t achi_files_event(void);
void achi_files_events(struct achi_events *e);

/* Does the descriptor change by itself, outside the simulation? */
bool achi_file_foreign(int fd);

/* Has the channel something to get? */
bool achi_channel_news(struct ach_channel *chan);

#endif
