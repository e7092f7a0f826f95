/* SPDX-License-Identifier: BSD-3-Clause */
/* rwlock.c - read-write locks and spin locks; they work like mutexes in lock.c */
#include <errno.h>
#include <pthread.h>

#include "preload.h"

#define SPINS 100 /* attempts to take a spin lock before waiting in virtual time */

struct rwlock_attempt {
    void *lock;
    int (*try)(void *lock);
    int result;
};

static int try_read(void *lock)
{
    pthread_rwlock_t *l = lock;
    int r = REAL(pthread_rwlock_tryrdlock)(l);

    return r == EBUSY && l->__data.__cur_writer == simc_tid() ? EDEADLK : r;
}

static int try_write(void *lock)
{
    pthread_rwlock_t *l = lock;
    int r = REAL(pthread_rwlock_trywrlock)(l);

    return r == EBUSY && l->__data.__cur_writer == simc_tid() ? EDEADLK : r;
}

static int try_spin(void *lock)
{
    return REAL(pthread_spin_trylock)(lock);
}

static bool look_at_lock(void *cx)
{
    struct rwlock_attempt *a = cx;

    a->result = a->try(a->lock);
    return a->result != EBUSY;
}

static int rwlock_lock_until(void *lock, int (*try)(void *), int64_t until)
{
    struct rwlock_attempt a = {lock, try, try(lock)};
    struct simp_events e = {.steady = true};

    if (a.result != EBUSY)
        return a.result;
    simp_events_add(&e, simp_local_event(lock));
    if (simp_shared_seen)
        simp_events_add(&e, SIM_EVENT_POLL);
    simp_local_enter(e.at[0]);
    simp_block(until, &e, look_at_lock, &a);
    simp_local_leave(e.at[0]);
    return a.result == EBUSY ? ETIMEDOUT : a.result;
}

static int timed(void *lock, int (*try)(void *), clockid_t clock, const struct timespec *t)
{
    if (!simp_clock_has_locks(clock) || !simp_nsec_valid(t))
        return EINVAL;
    return rwlock_lock_until(lock, try, simp_clock_point(clock, t));
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    return simc_free() ? rwlock_lock_until(l, try_read, SIM_NEVER) : REAL(pthread_rwlock_rdlock)(l);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    return simc_free() ? rwlock_lock_until(l, try_write, SIM_NEVER)
                       : REAL(pthread_rwlock_wrlock)(l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
                                      const struct timespec *restrict t)
{
    return simc_free() ? timed(l, try_read, CLOCK_REALTIME, t)
                       : REAL(pthread_rwlock_timedrdlock)(l, t);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
                                      const struct timespec *restrict t)
{
    return simc_free() ? timed(l, try_write, CLOCK_REALTIME, t)
                       : REAL(pthread_rwlock_timedwrlock)(l, t);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                      const struct timespec *restrict t)
{
    return simc_free() ? timed(l, try_read, clock, t)
                       : REAL(pthread_rwlock_clockrdlock)(l, clock, t);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                      const struct timespec *restrict t)
{
    return simc_free() ? timed(l, try_write, clock, t)
                       : REAL(pthread_rwlock_clockwrlock)(l, clock, t);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    int r = REAL(pthread_rwlock_unlock)(l);

    simp_local_post(simp_local_event(l));
    return r;
}

EXPORT int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
    simp_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_rwlockattr_setpshared)(attr, shared);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    void *lock = (void *)(uintptr_t)l;
    int i;

    if (!simc_free())
        return REAL(pthread_spin_lock)(l);
    for (i = 0; i < SPINS; i++)
        if (REAL(pthread_spin_trylock)(l) == 0)
            return 0;
    return rwlock_lock_until(lock, try_spin, SIM_NEVER);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    int r = REAL(pthread_spin_unlock)(l);

    simp_local_post(simp_local_event((const void *)(uintptr_t)l));
    return r;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    simp_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_spin_init)(l, shared);
}
