/* SPDX-License-Identifier: BSD-3-Clause */
/* rwlock.c - locks for readers and writers, spin locks: as mutexes in lock.c */
#include <errno.h>
#include <pthread.h>

#include "preload.h"

#define SPINS 100 /* a lock that is held for so short a time is not waited for */

struct attempt {
    void *lock;
    int (*try)(void *lock);
    int result;
};

static int try_read(void *lock)
{
    pthread_rwlock_t *l = lock;
    int r = REAL(pthread_rwlock_tryrdlock)(l);

    return r == EBUSY && l->__data.__cur_writer == achi_sim_tid() ? EDEADLK : r;
}

static int try_write(void *lock)
{
    pthread_rwlock_t *l = lock;
    int r = REAL(pthread_rwlock_trywrlock)(l);

    return r == EBUSY && l->__data.__cur_writer == achi_sim_tid() ? EDEADLK : r;
}

static int try_spin(void *lock)
{
    return REAL(pthread_spin_trylock)(lock);
}

static bool look_at_lock(void *cx)
{
    struct attempt *a = cx;

    a->result = a->try(a->lock);
    return a->result != EBUSY;
}

static int lock_until(void *lock, int (*try)(void *), int64_t until)
{
    struct attempt a = {lock, try, try(lock)};
    struct achi_events e = {0};

    if (a.result != EBUSY)
        return a.result;
    achi_events_add(&e, achi_local_event(lock));
    if (achi_shared_seen)
        achi_events_add(&e, ACHI_EVENT_POLL);
    achi_local_enter(e.at[0]);
    achi_block(until, &e, look_at_lock, &a);
    achi_local_leave(e.at[0]);
    return a.result == EBUSY ? ETIMEDOUT : a.result;
}

static int timed(void *lock, int (*try)(void *), clockid_t clock, const struct timespec *t)
{
    if (t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S)
        return EINVAL;
    return lock_until(lock, try, achi_clock_point(clock, t));
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
    return achi_sim_free() ? lock_until(l, try_read, ACHI_SIM_NEVER)
                           : REAL(pthread_rwlock_rdlock)(l);
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
    return achi_sim_free() ? lock_until(l, try_write, ACHI_SIM_NEVER)
                           : REAL(pthread_rwlock_wrlock)(l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
                                      const struct timespec *restrict t)
{
    return achi_sim_free() ? timed(l, try_read, CLOCK_REALTIME, t)
                           : REAL(pthread_rwlock_timedrdlock)(l, t);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
                                      const struct timespec *restrict t)
{
    return achi_sim_free() ? timed(l, try_write, CLOCK_REALTIME, t)
                           : REAL(pthread_rwlock_timedwrlock)(l, t);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                      const struct timespec *restrict t)
{
    return achi_sim_free() ? timed(l, try_read, clock, t)
                           : REAL(pthread_rwlock_clockrdlock)(l, clock, t);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
                                      const struct timespec *restrict t)
{
    return achi_sim_free() ? timed(l, try_write, clock, t)
                           : REAL(pthread_rwlock_clockwrlock)(l, clock, t);
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
    int r = REAL(pthread_rwlock_unlock)(l);

    achi_local_post(achi_local_event(l));
    return r;
}

EXPORT int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr, int shared)
{
    achi_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_rwlockattr_setpshared)(attr, shared);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
    void *lock = (void *)(uintptr_t)l;
    int i;

    if (!achi_sim_free())
        return REAL(pthread_spin_lock)(l);
    for (i = 0; i < SPINS; i++)
        if (REAL(pthread_spin_trylock)(l) == 0)
            return 0;
    return lock_until(lock, try_spin, ACHI_SIM_NEVER);
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
    int r = REAL(pthread_spin_unlock)(l);

    achi_local_post(achi_local_event((const void *)(uintptr_t)l));
    return r;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
    achi_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    return REAL(pthread_spin_init)(l, shared);
}
