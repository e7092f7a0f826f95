/* SPDX-License-Identifier: BSD-3-Clause */
/* semaphore.c - POSIX semaphores, which Python's locks are */
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>

#include "preload.h"

static bool look_at_semaphore(void *sem)
{
    return REAL(sem_trywait)(sem) == 0;
}

static int wait_until(sem_t *sem, int64_t until)
{
    struct achi_events e = {.signals = ACHI_RESTARTS};
    bool taken = look_at_semaphore(sem);

    if (!taken) {
        achi_events_add(&e, achi_local_event(sem));
        if (achi_shared_seen)
            achi_events_add(&e, ACHI_EVENT_POLL);
        achi_local_enter(e.at[0]);
        taken = achi_block(until, &e, look_at_semaphore, sem);
        achi_local_leave(e.at[0]);
    }
    if (!taken)
        errno = e.interrupted ? EINTR : ETIMEDOUT;
    return taken ? 0 : -1;
}

static int timed_wait(sem_t *sem, clockid_t clock, const struct timespec *t)
{
    if (t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S) {
        errno = EINVAL;
        return -1;
    }
    return wait_until(sem, achi_clock_point(clock, t));
}

EXPORT int sem_wait(sem_t *sem)
{
    if (!achi_sim_free())
        return REAL(sem_wait)(sem);
    return wait_until(sem, ACHI_SIM_NEVER);
}

EXPORT int sem_timedwait(sem_t *restrict sem, const struct timespec *restrict t)
{
    if (!achi_sim_free())
        return REAL(sem_timedwait)(sem, t);
    return timed_wait(sem, CLOCK_REALTIME, t);
}

EXPORT int sem_clockwait(sem_t *restrict sem, clockid_t clock, const struct timespec *restrict t)
{
    if (!achi_sim_free())
        return REAL(sem_clockwait)(sem, clock, t);
    return timed_wait(sem, clock, t);
}

/* Who is further behind must not take what is not there yet at his time. */
EXPORT int sem_post(sem_t *sem)
{
    bool others = achi_sim_free() && (achi_threads() > 1 || achi_shared_seen);
    int r;

    if (others)
        achi_sim_act();
    r = REAL(sem_post)(sem);
    if (others && r == 0)
        achi_local_post(achi_local_event(sem));
    return r;
}

EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
    achi_shared_seen |= shared != 0;
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
    achi_shared_seen = true;
    return REAL(sem_open)(name, flags, mode, value);
}
