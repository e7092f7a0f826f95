/* SPDX-License-Identifier: BSD-3-Clause */
/* semaphore.c - POSIX semaphores, which implement Python's locks */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include "preload.h"

static bool look_at_semaphore(void *sem)
{
    return REAL(sem_trywait)(sem) == 0;
}

static int semaphore_wait_until(sem_t *sem, int64_t until)
{
    struct simp_events e = {.signals = SIMP_RESTARTS};
    bool taken = look_at_semaphore(sem);

    if (!taken) {
        simp_events_add(&e, simp_local_event(sem));
        if (simp_shared_seen)
            simp_events_add(&e, SIM_EVENT_POLL);
        simp_local_enter(e.at[0]);
        taken = simp_block(until, &e, look_at_semaphore, sem);
        simp_local_leave(e.at[0]);
    }
    if (!taken)
        errno = e.interrupted ? EINTR : ETIMEDOUT;
    return taken ? 0 : -1;
}

static int timed_wait(sem_t *sem, clockid_t clock, const struct timespec *t)
{
    if (!simp_clock_has_locks(clock) || !simp_nsec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    return semaphore_wait_until(sem, simp_clock_point(clock, t));
}

EXPORT int sem_wait(sem_t *sem)
{
    if (!simc_free())
        return REAL(sem_wait)(sem);
    return semaphore_wait_until(sem, SIM_NEVER);
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict t)
{
    if (!simc_free())
        return REAL(sem_timedwait)(sem, t);
    return timed_wait(sem, CLOCK_REALTIME, t);
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict t)
{
    if (!simc_free())
        return REAL(sem_clockwait)(sem, clock, t);
    return timed_wait(sem, clock, t);
}

/* simc_act first: a thread that is behind in time must not take the semaphore before this post. */
EXPORT int sem_post(sem_t *sem)
{
    bool others = simc_free() && (simp_threads() > 1 || simp_shared_seen);
    int r;

    if (others)
        simc_act();
    r = REAL(sem_post)(sem);
    if (others && r == 0)
        simp_local_post(simp_local_event(sem));
    return r;
}

EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
    simp_shared_seen |= shared != 0;
    return REAL(sem_init)(sem, shared, value);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list more;
    mode_t mode = 0;
    unsigned value = 0;

    if (flags & O_CREAT) {
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        value = va_arg(more, unsigned);
        va_end(more);
    }
    simp_shared_seen = true;
    return REAL(sem_open)(name, flags, mode, value);
}
