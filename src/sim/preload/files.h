/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * files.h - descriptors that belong to the simulation: timers and channels
 *
 * Each is an eventfd. Before a thread polls descriptors, the readiness of all of them is set to
 * what is true at the polling thread's virtual time.
 */
#ifndef SIMP_PRELOAD_FILES_H
#define SIMP_PRELOAD_FILES_H

#include "preload.h"

enum simp_file_kind { SIMP_FILE_TIMER = 1, SIMP_FILE_CHANNEL };

struct ach_channel;

struct simp_file {
    enum simp_file_kind kind;
    int fd;
    bool up; /* the eventfd is readable */
    /* A timer: time of the next expiration, 0 if disarmed, and its period. */
    clockid_t clock;
    int64_t next, interval;
    /* A channel. */
    struct ach_channel *chan;
    sim_event_t event;
    struct simp_file *link;
};

/*
 * While a thread holds the lock, no other thread changes or frees a file. The holder's time does
 * not advance: simc_now() returns its last value.
 */
void simp_files_lock(void);
void simp_files_unlock(void);

/* NULL: not a descriptor of the simulation. */
struct simp_file *simp_file_find(int fd);

/* Create an eventfd with these flags. Returns NULL with errno on errors. */
struct simp_file *simp_file_add(enum simp_file_kind kind, int flags);

/* Remove it from the table; the caller closes the descriptor. */
void simp_file_remove(int fd);

/* In a child of fork: clear the table, since the descriptors belong to the parent. */
void simp_files_forget(void);

/* Update the readiness of one file (lock held), or of all (lock not held). */
void simp_file_refresh(struct simp_file *f);
void simp_files_refresh(void);

/* Posted when a timer is set. */
sim_event_t simp_files_event(void);

/*
 * As simp_block, for descriptors: also wakes up for timers and channels. foreign: also for
 * descriptors that the simulation does not control. Returns 1 if look returned true, 0 on timeout,
 * -1 with EINTR if a signal handler ended the wait.
 */
int simp_watch(int64_t until, bool foreign, enum simp_restart signals, simp_look_fun *look,
               void *cx);

/* Posted when a process of the simulation reads or writes a pipe or socket. */
sim_event_t simp_stream_event(void);

/* Posted when a thread of this process writes an eventfd. */
sim_event_t simp_eventfd_event(void);

/* Record whether the descriptor is an eventfd of the program. */
void simp_eventfd_set(int fd, bool is_bell);

bool simp_eventfd_is(int fd);

/* Call before a descriptor is used: ends the run if it is a timerfd inherited from the parent. */
void simp_file_check(int fd);

/* copy: the result of dup(fd) or the like, -1 if that failed. Ends the run if fd is a timerfd. */
void simp_file_copied(int fd, int copy);

/* Does the descriptor change by itself, outside the simulation? */
bool simp_file_foreign(int fd);

#endif
