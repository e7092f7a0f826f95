/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * barrier.c - barriers and pthread_once
 *
 * This library defines the memory layout of a barrier, since it overrides all barrier functions.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "preload.h"

/* The states of glibc's pthread_once_t. */
enum { ONCE_NEW, ONCE_RUNS, ONCE_DONE };

struct barrier {
    uint32_t count, arrived, round;
    char lock;
};

_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "a barrier has room for ours");

EXPORT int pthread_barrier_init(pthread_barrier_t *restrict b,
                                const pthread_barrierattr_t *restrict attr, unsigned count)
{
    struct barrier *own = (struct barrier *)b;
    int shared = PTHREAD_PROCESS_PRIVATE;

    if (!simc_active())
        return REAL(pthread_barrier_init)(b, attr, count);
    if (count == 0 || count > INT32_MAX)
        return EINVAL;
    if (attr)
        pthread_barrierattr_getpshared(attr, &shared);
    simp_shared_seen |= shared == PTHREAD_PROCESS_SHARED;
    *own = (struct barrier){.count = count};
    return 0;
}

EXPORT int pthread_barrier_destroy(pthread_barrier_t *b)
{
    return simc_active() ? 0 : REAL(pthread_barrier_destroy)(b);
}

struct barrier_arrival {
    const struct barrier *barrier;
    uint32_t round;
};

static bool look_at_barrier(void *cx)
{
    const struct barrier_arrival *a = cx;

    return __atomic_load_n(&a->barrier->round, __ATOMIC_ACQUIRE) != a->round;
}

/* True: the caller arrived last and began a new round. */
static bool arrive(struct barrier *b, struct barrier_arrival *a)
{
    bool last;

    simp_guard();
    while (__atomic_test_and_set(&b->lock, __ATOMIC_ACQUIRE))
        sched_yield();
    *a = (struct barrier_arrival){b, b->round};
    last = ++b->arrived == b->count;
    if (last) {
        b->arrived = 0;
        __atomic_store_n(&b->round, b->round + 1, __ATOMIC_RELEASE);
    }
    __atomic_clear(&b->lock, __ATOMIC_RELEASE);
    simp_unguard();
    return last;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct barrier *b = (struct barrier *)barrier;
    struct simp_events e = {.steady = true};
    struct barrier_arrival a;

    if (!simc_active())
        return REAL(pthread_barrier_wait)(barrier);
    simp_events_add(&e, simp_local_event(b));
    if (simp_shared_seen)
        simp_events_add(&e, SIM_EVENT_POLL);
    simc_act();
    simp_local_enter(e.at[0]);
    if (arrive(b, &a)) {
        simp_local_leave(e.at[0]);
        simp_local_post(e.at[0]);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    simp_block(SIM_NEVER, &e, look_at_barrier, &a);
    simp_local_leave(e.at[0]);
    return 0;
}

static bool look_at_once(void *control)
{
    return __atomic_load_n((int *)control, __ATOMIC_ACQUIRE) != ONCE_RUNS;
}

static void finish_once(int *control, int state)
{
    __atomic_store_n(control, state, __ATOMIC_RELEASE);
    simp_local_post(simp_local_event(control));
}

/* Runs if the function was left by an exception, or the thread was cancelled. */
static void undo_once(int **control)
{
    if (*control)
        finish_once(*control, ONCE_NEW);
}

static void run_once(int *control, void (*function)(void))
{
    int *undo __attribute__((cleanup(undo_once))) = control;

    function();
    undo = NULL;
    finish_once(control, ONCE_DONE);
}

static void wait_once(int *control)
{
    struct simp_events e = {.steady = true};

    simp_events_add(&e, simp_local_event(control));
    simp_local_enter(e.at[0]);
    simp_block(SIM_NEVER, &e, look_at_once, control);
    simp_local_leave(e.at[0]);
}

EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
    if (!simc_free())
        return REAL(pthread_once)(control, function);
    while (__atomic_load_n(control, __ATOMIC_ACQUIRE) != ONCE_DONE) {
        int expected = ONCE_NEW;

        if (__atomic_compare_exchange_n(control, &expected, ONCE_RUNS, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            run_once(control, function);
        else if (expected == ONCE_RUNS)
            wait_once(control);
        else if (expected != ONCE_DONE) /* begun before a fork, or by glibc itself */
            return REAL(pthread_once)(control, function);
    }
    return 0;
}
