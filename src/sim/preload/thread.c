/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - start and end of threads
 *
 * A new thread says hello to the coordinator before its start function runs, and its creator
 * continues only after that: else virtual time could advance past the new thread's start.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../program/golang.h"
#include "kill.h"
#include "once.h"
#include "pending.h"
#include "refuse.h"

/* Shared by the creator and the new thread. Each releases it once. */
struct newborn {
    void *(*start)(void *);
    void *argument;
    uint32_t parent;
    struct simp_once told;
    unsigned users;
};

/* A thread that can be joined. */
struct life {
    pthread_t thread;
    pid_t tid;
    struct life *next;
};

static pthread_mutex_t lives_lock = PTHREAD_MUTEX_INITIALIZER;
static struct life *lives;
static pthread_t first; /* the process's initial thread */
static unsigned threads = 1;
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

unsigned simp_threads(void)
{
    return __atomic_load_n(&threads, __ATOMIC_RELAXED);
}

static void release(struct newborn *b)
{
    if (__atomic_sub_fetch(&b->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(b);
}

static void thread_tell(void *cx)
{
    struct newborn *b = cx;

    simp_once_set(&b->told);
}

static struct life **find_life(pthread_t thread)
{
    struct life **p;

    for (p = &lives; *p && !pthread_equal((*p)->thread, thread); p = &(*p)->next)
        ;
    return p;
}

static void begin_life(pthread_t thread)
{
    struct life *l = malloc(sizeof(*l));

    if (!l)
        return;
    l->thread = thread;
    l->tid = simc_tid();
    REAL(pthread_mutex_lock)(&lives_lock);
    l->next = lives;
    lives = l;
    REAL(pthread_mutex_unlock)(&lives_lock);
}

static void end_life(pthread_t thread)
{
    struct life **p, *l;

    REAL(pthread_mutex_lock)(&lives_lock);
    p = find_life(thread);
    l = *p;
    if (l)
        *p = l->next;
    REAL(pthread_mutex_unlock)(&lives_lock);
    free(l);
}

/* The first thread is not in the list: its id is the pid. */
pid_t simp_thread_id(pthread_t thread)
{
    const struct life *l;
    pid_t tid = 0;

    if (pthread_equal(thread, first))
        return simc_pid();
    REAL(pthread_mutex_lock)(&lives_lock);
    l = *find_life(thread);
    if (l)
        tid = l->tid;
    REAL(pthread_mutex_unlock)(&lives_lock);
    return tid;
}

static bool has_ended(void *thread)
{
    bool ended;

    REAL(pthread_mutex_lock)(&lives_lock);
    ended = *find_life(*(pthread_t *)thread) == NULL;
    REAL(pthread_mutex_unlock)(&lives_lock);
    return ended;
}

static sim_event_t end_of(pthread_t thread)
{
    return simp_local_event((const void *)(uintptr_t)thread);
}

/* Other destructors may still call this library: act in the last round. */
static void at_end(void *round)
{
    uintptr_t n = (uintptr_t)round;

    if (n + 1 < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, (void *)(n + 1));
        return;
    }
    simp_local_post_pending();
    simc_act(); /* from here on this thread must not wait: another may be joining it */
    end_life(pthread_self());
    __atomic_fetch_sub(&threads, 1, __ATOMIC_RELAXED);
    simc_bye(end_of(pthread_self()));
}

static void thread_in_child(void)
{
    threads = 1;
    first = pthread_self();
    lives = NULL;
    pthread_mutex_init(&lives_lock, NULL);
}

static void make_key(void)
{
    first = pthread_self();
    pthread_key_create(&end_key, at_end);
    pthread_atfork(NULL, NULL, thread_in_child);
}

void simp_thread_watch(void)
{
    pthread_once(&end_once, make_key);
    pthread_setspecific(end_key, (void *)1);
}

static void *thread_run(void *cx)
{
    struct newborn *b = cx;
    void *(*start)(void *) = b->start;
    void *argument = b->argument;

    simp_thread_watch();
    begin_life(pthread_self());
    simc_hello(b->parent, thread_tell, b);
    release(b);
    return start(argument);
}

/*
 * Refuse libraries written in Go: they start threads when loaded, and most calls of the Go runtime
 * bypass this library. Programs in Go are refused at exec.
 */
static void check_origin(void *(*start)(void *))
{
    static void *checked; /* base of the last object checked: most threads come from the same */
    char text[SIMP_REFUSE_MAX];
    Dl_info object;

    if (!dladdr((void *)(uintptr_t)start, &object) ||
        __atomic_load_n(&checked, __ATOMIC_RELAXED) == object.dli_fbase)
        return;
    if (sim_golang_made_file(object.dli_fname)) {
        snprintf(text, sizeof(text), "go_library: %s " SIM_GOLANG_WHY, object.dli_fname);
        simp_refuse(text, "use it in a process outside the simulation");
    }
    __atomic_store_n(&checked, object.dli_fbase, __ATOMIC_RELAXED);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *argument)
{
    struct newborn *b;
    int r;

    if (!simc_free())
        return REAL(pthread_create)(thread, attr, start, argument);
    check_origin(start);
    b = malloc(sizeof(*b));
    if (!b)
        return EAGAIN;
    *b = (struct newborn){start, argument, (uint32_t)simc_tid(), {0}, 2};
    simc_act();
    simc_critical(); /* until the new thread's hello: it cannot run while the process is stopped */
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    r = REAL(pthread_create)(thread, attr, thread_run, b);
    if (r == 0) {
        simp_once_await(&b->told, 0);
        release(b);
    } else {
        __atomic_fetch_sub(&threads, 1, __ATOMIC_RELAXED);
        free(b);
    }
    simc_uncritical();
    return r;
}

/* The thread may be waiting in virtual time, or about to: post its signal event. */
EXPORT int pthread_cancel(pthread_t thread)
{
    int r;

    if (simc_free())
        simc_act();
    r = REAL(pthread_cancel)(thread);
    if (r == 0 && simc_free())
        simc_post(simp_signal_event());
    return r;
}

static bool await_end(pthread_t thread, int64_t until)
{
    struct simp_events e = {0};
    bool ended;

    simp_events_add(&e, end_of(thread));
    simp_local_enter(e.at[0]);
    ended = simp_block(until, &e, has_ended, &thread);
    simp_local_leave(e.at[0]);
    return ended;
}

/* The thread has ended in virtual time: its remaining steps take none. */
static int join_ended(pthread_t thread, void **result)
{
    int r;

    simc_critical();
    r = REAL(pthread_join)(thread, result);
    simc_uncritical();
    return r;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    if (simc_free() && !pthread_equal(thread, pthread_self()))
        await_end(thread, SIM_NEVER);
    return join_ended(thread, result);
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *t)
{
    if (!simc_free() || pthread_equal(thread, pthread_self()))
        return REAL(pthread_clockjoin_np)(thread, result, clock, t);
    if (t && (!simp_clock_has_locks(clock) || !simp_nsec_valid(t)))
        return EINVAL;
    if (!await_end(thread, t ? simp_clock_point(clock, t) : SIM_NEVER))
        return ETIMEDOUT;
    return join_ended(thread, result);
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *t)
{
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, t);
}

/* A thread that has not ended in virtual time is not joined, even if it has ended in real time. */
EXPORT int pthread_tryjoin_np(pthread_t thread, void **result)
{
    if (!simc_free() || pthread_equal(thread, pthread_self()))
        return REAL(pthread_tryjoin_np)(thread, result);
    simc_act();
    return has_ended(&thread) ? join_ended(thread, result) : EBUSY;
}
