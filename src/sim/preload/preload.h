/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - what the files of the preload library share
 *
 * A blocking call consists of three parts: a look function, which tries without blocking; a
 * deadline; and the events after which to call look again.
 */
#ifndef SIMP_PRELOAD_H
#define SIMP_PRELOAD_H

#include <errno.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../client/client.h"
#include "../client/raw.h"
#include "real.h"

#define syscall simc_own_syscall /* system calls of the library: the filter lets them pass */

#define EXPORT __attribute__((visibility("default")))

#define NS_PER_S 1000000000ll

/* Does a wait end with EINTR after a signal handler has run? */
enum simp_restart {
    SIMP_GOES_ON,  /* never */
    SIMP_RESTARTS, /* if the handler was installed without SA_RESTART */
    SIMP_ENDS      /* always */
};

/* A set of events to wait for. */
struct simp_events {
    unsigned n;
    sim_event_t at[SIM_EVENTS + 1]; /* if full, simc_wait replaces the rest by SIM_EVENT_POLL */
    enum simp_restart signals;
    bool interrupted; /* out: the wait has ended with EINTR */
    bool steady;      /* the call is no cancellation point */
};

void simp_events_add(struct simp_events *e, sim_event_t event);

/*
 * Put these around a non-blocking call of libach, which may take a channel's lock. In between the
 * coordinator does not stop the process, and calls made by libach go to the C library: a wait for
 * this thread's turn would keep the channel locked.
 */
static inline void simp_guard(void)
{
    simc_critical();
    simc_hold();
}

static inline void simp_unguard(void)
{
    simc_release();
    simc_uncritical();
}

/* Points in time, in nanoseconds. SIM_NEVER on overflow. */
int64_t simp_ns(const struct timespec *t);
struct timespec simp_timespec(int64_t ns);
int64_t simp_after(int64_t time, int64_t ns);

/* The C library checks only tv_nsec of an absolute time. The kernel also rejects tv_sec < 0. */
static inline bool simp_nsec_valid(const struct timespec *t)
{
    return t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

static inline bool simp_timespec_valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && simp_nsec_valid(t);
}

/* Does the clock show virtual time, or CPU time? */
bool simp_clock_virtual(clockid_t clock);
bool simp_clock_cpu(clockid_t clock);

/* Refuse or return EINVAL: for a clock that is neither virtual nor counts CPU time. */
int simp_clock_unknown(clockid_t clock);

/* Has a virtual clock timers, and can a thread sleep on it? */
bool simp_clock_has_timers(clockid_t clock);

/* Can locks, semaphores and condition variables have a timeout on the clock? */
static inline bool simp_clock_has_locks(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* Convert a point in time on a clock to virtual time. */
int64_t simp_clock_point(clockid_t clock, const struct timespec *t);

/*
 * Wait until the time, or until one of the events was posted after since (see simc_posts). Signals
 * of virtual timers are delivered before it returns. True: the wait timed out.
 */
bool simp_wait(int64_t until, struct simp_events *e, uint64_t since);

/*
 * Call look, wait for an event, and repeat, until look returns true or the time is reached. True:
 * look returned true.
 */
typedef bool simp_look_fun(void *cx);
bool simp_block(int64_t until, struct simp_events *e, simp_look_fun *look, void *cx);

/* Sleep until a point in virtual time. False: a signal handler has run. */
bool simp_sleep_until(int64_t time);

/* Convert a system call's result to the C library's convention: -1 with errno. */
static inline long simp_result(long r)
{
    const long most = 4095; /* largest errno */

    if (r >= 0 || r < -most)
        return r;
    errno = (int)-r;
    return -1;
}

/*
 * Events of this process. A waiter registers with enter and leave; post does nothing if no waiter
 * is registered.
 */
sim_event_t simp_local_event(const void *address);
void simp_local_enter(sim_event_t event);
void simp_local_leave(sim_event_t event);
bool simp_local_awaited(sim_event_t event);
void simp_local_post(sim_event_t event);

/* The thread has locked or unlocked a mutex. While it holds one, post_or_keep defers events. */
void simp_local_hold(void);
void simp_local_let_go(void);
void simp_local_post_or_keep(sim_event_t event);

/* Post the deferred events. */
void simp_local_post_pending(void);

/* The process has a process-shared lock or semaphore. Other processes post no event for it. */
extern bool simp_shared_seen;

/* Number of threads of this process that the simulation knows of. */
unsigned simp_threads(void);

/* Make the calling thread send a bye (simc_bye) when it ends. */
void simp_thread_watch(void);

#endif
