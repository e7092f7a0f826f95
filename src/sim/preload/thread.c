/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread.c - threads that come and go
 *
 * A new thread says hello before its first instruction, and who started it goes on only
 * when that is said: else time could pass that the new one still has to live through.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "../golang.h"
#include "alarm.h"
#include "futex.h"
#include "handle.h"
#include "pending.h"
#include "refuse.h"
#include "send.h"
#include "told.h"

/* Two go by these: who started it and who it is. Each lets go once. */
struct newborn {
    void *(*start)(void *);
    void *argument;
    uint32_t parent;
    struct achi_told told;
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
static pthread_t first; /* thread of the process */
static unsigned threads = 1;
static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

unsigned achi_threads(void)
{
    return __atomic_load_n(&threads, __ATOMIC_RELAXED);
}

static void release(struct newborn *b)
{
    if (__atomic_sub_fetch(&b->users, 1, __ATOMIC_ACQ_REL) == 0)
        free(b);
}

static void tell(void *cx)
{
    struct newborn *b = cx;

    achi_told_set(&b->told);
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
    l->tid = achi_sim_tid();
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

/* The first thread is in no list. */
pid_t achi_thread_id(pthread_t thread)
{
    const struct life *l;
    pid_t tid = 0;

    if (pthread_equal(thread, first))
        return achi_sim_pid();
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

static achi_event_t end_of(pthread_t thread)
{
    return achi_local_event((const void *)(uintptr_t)thread);
}

/* Other destructors may still call us: wait for the last round. */
static void at_end(void *round)
{
    uintptr_t n = (uintptr_t)round;

    if (n + 1 < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, (void *)(n + 1));
        return;
    }
    achi_local_post_pending();
    achi_sim_act(); /* from here on it must not wait: somebody may be joining it */
    end_life(pthread_self());
    __atomic_fetch_sub(&threads, 1, __ATOMIC_RELAXED);
    achi_sim_bye(end_of(pthread_self()));
}

static void in_child(void)
{
    achi_files_forget();
    achi_handles_forked();
    achi_alarms_forget();
    achi_signals_forget();
    achi_futexes_forget();
    threads = 1;
    first = pthread_self();
    lives = NULL;
    pthread_mutex_init(&lives_lock, NULL);
}

static void make_key(void)
{
    first = pthread_self();
    pthread_key_create(&end_key, at_end);
    pthread_atfork(NULL, NULL, in_child);
}

void achi_thread_watch(void)
{
    pthread_once(&end_once, make_key);
    pthread_setspecific(end_key, (void *)1);
}

static void *run(void *cx)
{
    struct newborn *b = cx;
    void *(*start)(void *) = b->start;
    void *argument = b->argument;

    achi_thread_watch();
    begin_life(pthread_self());
    achi_sim_hello(b->parent, tell, b);
    release(b);
    return start(argument);
}

/*
 * A library in Go starts threads when it is loaded, and most of the calls of its runtime are not
 * seen. Programs in Go are not even executed.
 */
static void check_origin(void *(*start)(void *))
{
    static void *checked; /* where the last one is loaded: most threads come from the same */
    char text[ACHI_REFUSE_MAX];
    Dl_info object;

    if (!dladdr((void *)(uintptr_t)start, &object) ||
        __atomic_load_n(&checked, __ATOMIC_RELAXED) == object.dli_fbase)
        return;
    if (achi_golang_made_file(object.dli_fname)) {
        snprintf(text, sizeof(text), "go_library: %s " ACHI_GOLANG_WHY, object.dli_fname);
        achi_refuse(text, "use it in a process outside the simulation");
    }
    __atomic_store_n(&checked, object.dli_fbase, __ATOMIC_RELAXED);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
                          void *argument)
{
    struct newborn *b;
    int r;

    if (!achi_sim_free())
        return REAL(pthread_create)(thread, attr, start, argument);
    check_origin(start);
    b = malloc(sizeof(*b));
    if (!b)
        return EAGAIN;
    *b = (struct newborn){start, argument, (uint32_t)achi_sim_tid(), {0}, 2};
    achi_sim_act();
    achi_sim_critical(); /* until the new thread has come: it cannot while this one is stopped */
    __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    r = REAL(pthread_create)(thread, attr, run, b);
    if (r == 0) {
        achi_told_await(&b->told, 0);
        release(b);
    } else {
        __atomic_fetch_sub(&threads, 1, __ATOMIC_RELAXED);
        free(b);
    }
    achi_sim_uncritical();
    return r;
}

/* It may be waiting. */
EXPORT int pthread_cancel(pthread_t thread)
{
    int r;

    if (achi_sim_free())
        achi_sim_act();
    r = REAL(pthread_cancel)(thread);
    if (r == 0)
        achi_local_post(achi_signal_event());
    return r;
}

static bool await_end(pthread_t thread, int64_t until)
{
    struct achi_events e = {0};
    bool ended;

    achi_events_add(&e, end_of(thread));
    achi_local_enter(e.at[0]);
    ended = achi_block(until, &e, has_ended, &thread);
    achi_local_leave(e.at[0]);
    return ended;
}

/* It has ended, as far as virtual time goes: its last steps are no delay. */
static int join_ended(pthread_t thread, void **result)
{
    int r;

    achi_sim_critical();
    r = REAL(pthread_join)(thread, result);
    achi_sim_uncritical();
    return r;
}

EXPORT int pthread_join(pthread_t thread, void **result)
{
    if (achi_sim_free() && !pthread_equal(thread, pthread_self()))
        await_end(thread, ACHI_SIM_NEVER);
    return join_ended(thread, result);
}

EXPORT int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                const struct timespec *t)
{
    if (!achi_sim_free() || pthread_equal(thread, pthread_self()))
        return REAL(pthread_clockjoin_np)(thread, result, clock, t);
    if (t && (t->tv_nsec < 0 || t->tv_nsec >= NS_PER_S))
        return EINVAL;
    if (!await_end(thread, t ? achi_clock_point(clock, t) : ACHI_SIM_NEVER))
        return ETIMEDOUT;
    return join_ended(thread, result);
}

EXPORT int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *t)
{
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, t);
}

/* A thread that has not come to its end in virtual time is not joined, even if the kernel could. */
EXPORT int pthread_tryjoin_np(pthread_t thread, void **result)
{
    if (!achi_sim_free() || pthread_equal(thread, pthread_self()))
        return REAL(pthread_tryjoin_np)(thread, result);
    achi_sim_act();
    return has_ended(&thread) ? join_ended(thread, result) : EBUSY;
}
