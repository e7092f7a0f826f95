/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - mutexes and condition variables
 *
 * Who has a mutex may be waiting for the coordinator, which waits for the one who wants
 * it: so whoever finds a mutex taken waits in virtual time. A condition variable is an event;
 * a signal wakes all who wait for it, as POSIX lets it.
 *
 * What happens while the thread has a mutex is posted when it lets go of one, or waits: before
 * that, whoever is woken could hardly go on anyway.
 */
#include <errno.h>
#include <pthread.h>

#include "preload.h"

#define PENDING_MAX 4

/* glibc keeps a condition variable's clock here. */
#define COND_MONOTONIC 2u
#define KIND_MASK 3 /* of a mutex: what pthread_mutexattr_settype says */

static __thread struct {
    unsigned held;
    unsigned n;
    achi_event_t pending[PENDING_MAX];
} self __attribute__((tls_model("initial-exec")));

void achi_local_post_pending(void)
{
    while (self.n)
        achi_local_post(self.pending[--self.n]);
}

static void post_or_keep(achi_event_t event)
{
    if (self.held && self.n < PENDING_MAX)
        self.pending[self.n++] = event;
    else
        achi_local_post(event);
}

/* EBUSY: somebody has it. Of the kinds that trylock knows, one finds out that it is the caller. */
static int try_lock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_trylock)(m);

    if (r == EBUSY && (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ERRORCHECK_NP &&
        m->__data.__owner == achi_sim_tid())
        return EDEADLK;
    return r;
}

struct attempt {
    pthread_mutex_t *mutex;
    int result;
};

static bool look_at_mutex(void *cx)
{
    struct attempt *a = cx;

    a->result = try_lock(a->mutex);
    return a->result != EBUSY;
}

static int lock_until(pthread_mutex_t *m, int64_t until)
{
    struct attempt a = {m, try_lock(m)};
    struct achi_events e = {0};

    if (a.result == EBUSY) {
        achi_events_add(&e, achi_local_event(m));
        if (achi_shared_seen)
            achi_events_add(&e, ACHI_EVENT_POLL);
        achi_local_enter(e.at[0]);
        achi_block(until, &e, look_at_mutex, &a);
        achi_local_leave(e.at[0]);
    }
    self.held += a.result == 0 || a.result == EOWNERDEAD;
    return a.result == EBUSY ? ETIMEDOUT : a.result;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    if (!achi_sim_free())
        return REAL(pthread_mutex_lock)(m);
    return lock_until(m, ACHI_SIM_NEVER);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_trylock)(m);

    if (achi_sim_free())
        self.held += r == 0 || r == EOWNERDEAD;
    return r;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
    if (!achi_sim_free())
        return REAL(pthread_mutex_clocklock)(m, clock, t);
    return lock_until(m, achi_clock_point(clock, t));
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    if (!achi_sim_free())
        return REAL(pthread_mutex_timedlock)(m, t);
    return lock_until(m, achi_clock_point(CLOCK_REALTIME, t));
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_unlock)(m);

    if (!achi_sim_free())
        return r;
    self.held -= r == 0 && self.held;
    achi_local_post(achi_local_event(m));
    achi_local_post_pending();
    return r;
}

/* A wait for a condition ends with any wake-up: those for nothing are allowed. */
static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t until)
{
    struct achi_events e = {0};
    uint64_t since;
    bool timed;
    int r;

    achi_local_post_pending(); /* a signal from before the wait must not end it */
    since = achi_sim_posts();
    achi_events_add(&e, achi_local_event(c));
    if (achi_shared_seen)
        achi_events_add(&e, ACHI_EVENT_POLL);
    achi_local_enter(e.at[0]);
    r = pthread_mutex_unlock(m);
    if (r != 0) {
        achi_local_leave(e.at[0]);
        return r;
    }
    timed = achi_wait(until, &e, since);
    achi_local_leave(e.at[0]);
    achi_sim_cycle();
    r = pthread_mutex_lock(m);
    return r == 0 && timed ? ETIMEDOUT : r;
}

static clockid_t clock_of(const pthread_cond_t *c)
{
    return c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!achi_sim_free())
        return REAL(pthread_cond_wait)(c, m);
    return cond_wait(c, m, ACHI_SIM_NEVER);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
    if (!achi_sim_free())
        return REAL(pthread_cond_timedwait)(c, m, t);
    return cond_wait(c, m, achi_clock_point(clock_of(c), t));
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                  const struct timespec *t)
{
    if (!achi_sim_free())
        return REAL(pthread_cond_clockwait)(c, m, clock, t);
    return cond_wait(c, m, achi_clock_point(clock, t));
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    if (!achi_sim_free())
        return REAL(pthread_cond_signal)(c);
    post_or_keep(achi_local_event(c));
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!achi_sim_free())
        return REAL(pthread_cond_broadcast)(c);
    post_or_keep(achi_local_event(c));
    return 0;
}

EXPORT int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
    achi_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_condattr_setpshared)(attr, shared);
}

EXPORT int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
    achi_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_mutexattr_setpshared)(attr, shared);
}
