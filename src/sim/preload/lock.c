/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.c - mutexes and condition variables
 *
 * The owner of a mutex may be waiting for the coordinator, which may be waiting for a thread that
 * wants the mutex: so a thread that finds a mutex locked waits in virtual time. A condition
 * variable is an event; a signal wakes all its waiters, which POSIX permits.
 *
 * Events of condition variables that are signalled by the owner of a mutex are posted when it
 * unlocks a mutex or waits: before that, a woken waiter could hardly continue.
 */
#include <errno.h>
#include <pthread.h>

#include "preload.h"

/* glibc keeps a condition variable's clock here. */
#define COND_MONOTONIC 2u
#define KIND_MASK 3 /* of a mutex: what pthread_mutexattr_settype says */

/* EBUSY: it is locked. EDEADLK: an error-checking mutex that the caller owns itself. */
static int try_lock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_trylock)(m);

    if (r == EBUSY && (m->__data.__kind & KIND_MASK) == PTHREAD_MUTEX_ERRORCHECK_NP &&
        m->__data.__owner == simc_tid())
        return EDEADLK;
    return r;
}

struct lock_attempt {
    pthread_mutex_t *mutex;
    int result;
};

static bool look_at_mutex(void *cx)
{
    struct lock_attempt *a = cx;

    a->result = try_lock(a->mutex);
    return a->result != EBUSY;
}

static int lock_until(pthread_mutex_t *m, int64_t until)
{
    struct lock_attempt a = {m, try_lock(m)};
    struct simp_events e = {.steady = true};

    if (a.result == EBUSY) {
        simp_events_add(&e, simp_local_event(m));
        if (simp_shared_seen)
            simp_events_add(&e, SIM_EVENT_POLL);
        simp_local_enter(e.at[0]);
        simp_block(until, &e, look_at_mutex, &a);
        simp_local_leave(e.at[0]);
    }
    if (a.result == 0 || a.result == EOWNERDEAD)
        simp_local_hold();
    return a.result == EBUSY ? ETIMEDOUT : a.result;
}

/* As in the C library, a free mutex is locked whatever the time. */
static int lock_timed(pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
    int r;

    if (!simp_clock_has_locks(clock))
        return EINVAL;
    if (simp_nsec_valid(t))
        return lock_until(m, simp_clock_point(clock, t));
    r = try_lock(m);
    if (r == 0 || r == EOWNERDEAD)
        simp_local_hold();
    return r == EBUSY ? EINVAL : r;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
    if (!simc_free())
        return REAL(pthread_mutex_lock)(m);
    return lock_until(m, SIM_NEVER);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_trylock)(m);

    if (simc_free() && (r == 0 || r == EOWNERDEAD))
        simp_local_hold();
    return r;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *t)
{
    if (!simc_free())
        return REAL(pthread_mutex_clocklock)(m, clock, t);
    return lock_timed(m, clock, t);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *t)
{
    if (!simc_free())
        return REAL(pthread_mutex_timedlock)(m, t);
    return lock_timed(m, CLOCK_REALTIME, t);
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
    int r = REAL(pthread_mutex_unlock)(m);

    if (!simc_free())
        return r;
    if (r == 0)
        simp_local_let_go();
    simp_local_post(simp_local_event(m));
    simp_local_post_pending();
    return r;
}

/*
 * Returns after any wake-up: spurious ones are allowed. A canceled thread has the mutex locked
 * again when its cleanup handlers run.
 */
static int cond_wait(pthread_cond_t *c, pthread_mutex_t *m, int64_t until)
{
    struct simp_events e = {0};
    uint64_t since;
    bool timed;
    int r;

    simp_local_post_pending(); /* a signal from before the wait must not end it */
    since = simc_posts();
    pthread_testcancel();
    simp_events_add(&e, simp_local_event(c));
    if (simp_shared_seen)
        simp_events_add(&e, SIM_EVENT_POLL);
    simp_local_enter(e.at[0]);
    r = pthread_mutex_unlock(m);
    if (r != 0) {
        simp_local_leave(e.at[0]);
        return r;
    }
    timed = simp_wait(until, &e, since);
    simp_local_leave(e.at[0]);
    simc_cycle();
    r = pthread_mutex_lock(m);
    pthread_testcancel();
    return r == 0 && timed ? ETIMEDOUT : r;
}

static int cond_wait_timed(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                           const struct timespec *t)
{
    if (!simp_clock_has_locks(clock) || !simp_nsec_valid(t))
        return EINVAL;
    return cond_wait(c, m, simp_clock_point(clock, t));
}

static clockid_t clock_of(const pthread_cond_t *c)
{
    return c->__data.__wrefs & COND_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    if (!simc_free())
        return REAL(pthread_cond_wait)(c, m);
    return cond_wait(c, m, SIM_NEVER);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *t)
{
    if (!simc_free())
        return REAL(pthread_cond_timedwait)(c, m, t);
    return cond_wait_timed(c, m, clock_of(c), t);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                  const struct timespec *t)
{
    if (!simc_free())
        return REAL(pthread_cond_clockwait)(c, m, clock, t);
    return cond_wait_timed(c, m, clock, t);
}

EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
    if (!simc_free())
        return REAL(pthread_cond_signal)(c);
    simp_local_post_or_keep(simp_local_event(c));
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
    if (!simc_free())
        return REAL(pthread_cond_broadcast)(c);
    simp_local_post_or_keep(simp_local_event(c));
    return 0;
}

EXPORT int pthread_condattr_setpshared(pthread_condattr_t *attr, int shared)
{
    simp_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_condattr_setpshared)(attr, shared);
}

EXPORT int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr, int shared)
{
    simp_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_mutexattr_setpshared)(attr, shared);
}
