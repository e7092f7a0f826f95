/* SPDX-License-Identifier: BSD-3-Clause */
/* c11.c - threads of C11: glibc's types are those of POSIX under other names */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "preload.h"

static int outcome(int r)
{
    return r == 0                       ? thrd_success
           : r == EBUSY                 ? thrd_busy
           : r == ETIMEDOUT             ? thrd_timedout
           : r == ENOMEM || r == EAGAIN ? thrd_nomem
                                        : thrd_error;
}

struct c11_start {
    thrd_start_t function;
    void *argument;
};

static void *c11_run(void *cx)
{
    struct c11_start s = *(struct c11_start *)cx;

    free(cx);
    return (void *)(intptr_t)s.function(s.argument);
}

EXPORT int thrd_create(thrd_t *thread, thrd_start_t function, void *argument)
{
    struct c11_start *s;
    int r;

    if (!simc_free())
        return REAL(thrd_create)(thread, function, argument);
    s = malloc(sizeof(*s));
    if (!s)
        return thrd_nomem;
    *s = (struct c11_start){function, argument};
    r = pthread_create(thread, NULL, c11_run, s);
    if (r != 0)
        free(s);
    return outcome(r);
}

EXPORT int thrd_join(thrd_t thread, int *result)
{
    void *value;
    int r;

    if (!simc_free())
        return REAL(thrd_join)(thread, result);
    r = pthread_join(thread, &value);
    if (r == 0 && result)
        *result = (int)(intptr_t)value;
    return outcome(r);
}

EXPORT int mtx_lock(mtx_t *m)
{
    return simc_free() ? outcome(pthread_mutex_lock((pthread_mutex_t *)m)) : REAL(mtx_lock)(m);
}

EXPORT int mtx_trylock(mtx_t *m)
{
    return simc_free() ? outcome(pthread_mutex_trylock((pthread_mutex_t *)m))
                       : REAL(mtx_trylock)(m);
}

EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict t)
{
    return simc_free() ? outcome(pthread_mutex_timedlock((pthread_mutex_t *)m, t))
                       : REAL(mtx_timedlock)(m, t);
}

EXPORT int mtx_unlock(mtx_t *m)
{
    return simc_free() ? outcome(pthread_mutex_unlock((pthread_mutex_t *)m)) : REAL(mtx_unlock)(m);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
    return simc_free() ? outcome(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m))
                       : REAL(cnd_wait)(c, m);
}

EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t)
{
    return simc_free()
               ? outcome(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, t))
               : REAL(cnd_timedwait)(c, m, t);
}

EXPORT int cnd_signal(cnd_t *c)
{
    return simc_free() ? outcome(pthread_cond_signal((pthread_cond_t *)c)) : REAL(cnd_signal)(c);
}

EXPORT int cnd_broadcast(cnd_t *c)
{
    return simc_free() ? outcome(pthread_cond_broadcast((pthread_cond_t *)c))
                       : REAL(cnd_broadcast)(c);
}

EXPORT void call_once(once_flag *flag, void (*function)(void))
{
    if (simc_free())
        pthread_once((pthread_once_t *)flag, function);
    else
        REAL(call_once)(flag, function);
}
