/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * preload.h - what the files of the preload library share
 *
 * A call that may wait is made of three things: a look that does not wait, the time until
 * which it is worth waiting, and the events after which to look again.
 */
#ifndef ACHI_PRELOAD_H
#define ACHI_PRELOAD_H

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "../client/client.h"
#include "../client/raw.h"
#include "real.h"

#define syscall achi_own_syscall /* the library's own: no filter sees it */

#define EXPORT __attribute__((visibility("default")))

#define NS_PER_S 1000000000ll

/* When a wait ends with EINTR after a signal handler has run. */
enum achi_restart {
    ACHI_GOES_ON,  /* never */
    ACHI_RESTARTS, /* if the handler was installed without SA_RESTART */
    ACHI_ENDS      /* always */
};

/* A set of events to wait for. */
struct achi_events {
    unsigned n;
    achi_event_t at[ACHI_SIM_EVENTS + 1]; /* one too many: POLL takes the place of the rest */
    enum achi_restart signals;
    bool interrupted; /* out: the wait has ended with EINTR */
};

void achi_events_add(struct achi_events *e, achi_event_t event);

/*
 * Around a call of libach that does not wait. Inside it libach may hold the lock of a channel:
 * the process is not stopped there, and the calls that libach makes itself are real ones, since
 * a wait for this thread's turn would keep the lock as long.
 */
void achi_guard(void);
void achi_unguard(void);

/* Points in time: nanoseconds, ACHI_SIM_NEVER if there are too many. */
int64_t achi_ns(const struct timespec *t);
struct timespec achi_timespec(int64_t ns);
int64_t achi_after(int64_t time, int64_t ns);

/* Virtual time, and the clocks that show it: false for those of CPU time. */
bool achi_clock_virtual(clockid_t clock);
int64_t achi_clock_now(clockid_t clock);

/* A point in time on a clock, as virtual time. */
int64_t achi_clock_point(clockid_t clock, const struct timespec *t);

/*
 * Wait until that time, or until something has happened to one of the events since then. Signals
 * of virtual timers are delivered before it returns. True: the time has come.
 */
bool achi_wait(int64_t until, struct achi_events *e, uint64_t since);

/*
 * Look, wait, and look again until there is something or the time has come. True: look
 * returned true.
 */
typedef bool achi_look_fun(void *cx);
bool achi_block(int64_t until, struct achi_events *e, achi_look_fun *look, void *cx);

/* Sleep until a point in virtual time. False: a signal handler has run. */
bool achi_sleep_until(int64_t time);

/* As a function of the C library returns what a system call did: -1 with errno. */
long achi_result(long r);

/*
 * Events of this process: who waits counts itself in, and only if there may be somebody
 * something is posted.
 */
achi_event_t achi_local_event(const void *address);
void achi_local_enter(achi_event_t event);
void achi_local_leave(achi_event_t event);
bool achi_local_awaited(achi_event_t event);
void achi_local_post(achi_event_t event);

/* Those that were kept back while the thread has a mutex. */
void achi_local_post_pending(void);

/* Something in this process can be shared with others, whose events are unknown. */
extern bool achi_shared_seen;

/* Threads of this process that the simulation knows of. More than one can disagree. */
unsigned achi_threads(void);

/* Say bye when the calling thread ends. */
void achi_thread_watch(void);

#endif
