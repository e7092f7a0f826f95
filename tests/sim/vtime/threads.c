/* SPDX-License-Identifier: BSD-3-Clause */
/* threads.c - locks, conditions, semaphores, barriers and the ends of threads */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <threads.h>

#include "cases.h"

int __pthread_mutex_lock(pthread_mutex_t *m) OLDER;
int __pthread_mutex_trylock(pthread_mutex_t *m) OLDER;
int __pthread_mutex_unlock(pthread_mutex_t *m) OLDER;
int __pthread_once(pthread_once_t *once, void (*f)(void)) OLDER;
int __pthread_rwlock_rdlock(pthread_rwlock_t *l) OLDER;
int __pthread_rwlock_wrlock(pthread_rwlock_t *l) OLDER;
int __pthread_rwlock_unlock(pthread_rwlock_t *l) OLDER;
int __sched_yield(void) OLDER;

/* <pthread.h> redirects pthread_yield to sched_yield; this is the old function. */
int older_pthread_yield(void) __asm__("pthread_yield") OLDER;

/* Another thread calls act after ms milliseconds. */
struct later {
    int ms;
    int (*act)(void *);
    void *argument;
};

static void *run_later(void *cx)
{
    struct later *l = cx;

    usleep((useconds_t)l->ms * 1000);
    l->act(l->argument);
    return NULL;
}

static pthread_t start(struct later *l)
{
    pthread_t t;

    REQUIRE(pthread_create(&t, NULL, run_later, l) == 0);
    return t;
}

/* Another thread takes a lock, holds it for ms milliseconds, and releases it. */
struct held {
    int ms;
    int (*take)(void *);
    int (*drop)(void *);
    void *lock;
};

static void *hold(void *cx)
{
    struct held *h = cx;

    h->take(h->lock);
    usleep((useconds_t)h->ms * 1000);
    h->drop(h->lock);
    return NULL;
}

static pthread_t start_held(struct held *h)
{
    pthread_t t;

    REQUIRE(pthread_create(&t, NULL, hold, h) == 0);
    usleep(1000);
    h->ms--;
    return t;
}

#define HELD(type, ms, take, drop, lock)                                                           \
    struct held held = {ms, (int (*)(void *))(take), (int (*)(void *))(drop), (void *)(lock)};     \
    pthread_t thread = start_held(&held)

static void mutex_case(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    struct timespec t;

    HELD(mutex, 40, pthread_mutex_lock, pthread_mutex_unlock, &m);
    CHECK(pthread_mutex_trylock(&m) == EBUSY && __pthread_mutex_trylock(&m) == EBUSY);
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(pthread_mutex_timedlock(&m, &t) == ETIMEDOUT));
    t = from(CLOCK_MONOTONIC, 5 * MS);
    TAKES(5, CHECK(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &t) == ETIMEDOUT));
    TAKES(29, CHECK(pthread_mutex_lock(&m) == 0));
    CHECK(pthread_mutex_unlock(&m) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(__pthread_mutex_lock(&m) == 0 && __pthread_mutex_unlock(&m) == 0);
}

static void rwlock_case(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    pthread_rwlockattr_t attr;
    struct timespec t;

    pthread_rwlockattr_init(&attr);
    CHECK(pthread_rwlockattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE) == 0);
    {
        HELD(rwlock, 60, pthread_rwlock_wrlock, pthread_rwlock_unlock, &l);
        t = from(CLOCK_REALTIME, 5 * MS);
        TAKES(5, CHECK(pthread_rwlock_timedrdlock(&l, &t) == ETIMEDOUT));
        t = from(CLOCK_REALTIME, 5 * MS);
        TAKES(5, CHECK(pthread_rwlock_timedwrlock(&l, &t) == ETIMEDOUT));
        t = from(CLOCK_MONOTONIC, 5 * MS);
        TAKES(5, CHECK(pthread_rwlock_clockrdlock(&l, CLOCK_MONOTONIC, &t) == ETIMEDOUT));
        t = from(CLOCK_MONOTONIC, 5 * MS);
        TAKES(5, CHECK(pthread_rwlock_clockwrlock(&l, CLOCK_MONOTONIC, &t) == ETIMEDOUT));
        TAKES(39, CHECK(pthread_rwlock_rdlock(&l) == 0));
        CHECK(pthread_rwlock_unlock(&l) == 0 && pthread_join(thread, NULL) == 0);
    }
    HELD(rwlock, 20, pthread_rwlock_rdlock, pthread_rwlock_unlock, &l);
    TAKES(0, CHECK(__pthread_rwlock_rdlock(&l) == 0 && __pthread_rwlock_unlock(&l) == 0));
    TAKES(19, CHECK(pthread_rwlock_wrlock(&l) == 0));
    CHECK(pthread_rwlock_rdlock(&l) == EDEADLK && pthread_rwlock_wrlock(&l) == EDEADLK);
    CHECK(__pthread_rwlock_unlock(&l) == 0 && pthread_join(thread, NULL) == 0);
    CHECK(__pthread_rwlock_wrlock(&l) == 0 && pthread_rwlock_unlock(&l) == 0);
}

static void spin_case(void)
{
    pthread_spinlock_t l;

    CHECK(pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE) == 0);
    HELD(spin, 20, pthread_spin_lock, pthread_spin_unlock, &l);
    TAKES(19, CHECK(pthread_spin_lock(&l) == 0));
    CHECK(pthread_spin_unlock(&l) == 0 && pthread_join(thread, NULL) == 0);
}

static pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;

static int broadcast(void *cond)
{
    return pthread_cond_broadcast(cond);
}

static int signal_one(void *cond)
{
    return pthread_cond_signal(cond);
}

/* Only threads that already wait get a condition signal. Java's virtual machine depends on it. */
static void signal_then_wait(pthread_cond_t *c, int (*act)(void *))
{
    struct timespec t;

    CHECK(act(c) == 0);
    t = from(CLOCK_REALTIME, 30 * MS);
    TAKES(30, CHECK(pthread_cond_timedwait(c, &cond_mutex, &t) == ETIMEDOUT));
}

static void cond_case(void)
{
    pthread_cond_t c = PTHREAD_COND_INITIALIZER;
    struct later l = {20, broadcast, &c};
    struct timespec t = from(CLOCK_REALTIME, 5000 * MS);
    pthread_condattr_t attr;
    pthread_mutexattr_t m_attr;
    pthread_t thread;

    pthread_condattr_init(&attr);
    pthread_mutexattr_init(&m_attr);
    CHECK(pthread_condattr_setpshared(&attr, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(pthread_mutexattr_setpshared(&m_attr, PTHREAD_PROCESS_PRIVATE) == 0);
    pthread_mutex_lock(&cond_mutex);
    TAKES(5000, CHECK(pthread_cond_timedwait(&c, &cond_mutex, &t) == ETIMEDOUT));
    t = from(CLOCK_MONOTONIC, 7 * MS);
    TAKES(7, CHECK(pthread_cond_clockwait(&c, &cond_mutex, CLOCK_MONOTONIC, &t) == ETIMEDOUT));
    signal_then_wait(&c, broadcast);
    signal_then_wait(&c, signal_one);
    thread = start(&l);
    TAKES(20, CHECK(pthread_cond_wait(&c, &cond_mutex) == 0));
    CHECK(pthread_join(thread, NULL) == 0);
    l.act = signal_one;
    thread = start(&l);
    TAKES(20, CHECK(pthread_cond_wait(&c, &cond_mutex) == 0));
    CHECK(pthread_join(thread, NULL) == 0);
}

static bool yield_flag;

static int raise_flag(void *flag)
{
    __atomic_store_n((bool *)flag, true, __ATOMIC_SEQ_CST);
    return 0;
}

static int yield_c11(void)
{
    thrd_yield();
    return 0;
}

/* A loop that yields until another thread sets a flag ends when the flag is set. */
static void yield_case(void)
{
    int (*const ways[])(void) = {sched_yield, __sched_yield, older_pthread_yield, yield_c11};
    struct later l = {1, raise_flag, &yield_flag};
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        int64_t begin = now(), took;
        pthread_t thread;

        if (!ways[i]) /* an older name that this C library does not have */
            continue;
        yield_flag = false;
        thread = start(&l);
        while (!__atomic_load_n(&yield_flag, __ATOMIC_SEQ_CST))
            CHECK(ways[i]() == 0);
        took = now() - begin;
        CHECK(took >= MS && took <= MS + 2000);
        CHECK(pthread_join(thread, NULL) == 0);
    }
}

static int post(void *sem)
{
    return sem_post(sem);
}

static void semaphore_case(void)
{
    struct timespec t = from(CLOCK_REALTIME, 5 * MS);
    struct later l;
    sem_t s, *named;
    char name[32];
    pthread_t thread;

    REQUIRE(sem_init(&s, 0, 0) == 0);
    l = (struct later){20, post, &s};
    TAKES(5, CHECK(sem_timedwait(&s, &t) == -1 && errno == ETIMEDOUT));
    t = from(CLOCK_MONOTONIC, 5 * MS);
    TAKES(5, CHECK(sem_clockwait(&s, CLOCK_MONOTONIC, &t) == -1 && errno == ETIMEDOUT));
    thread = start(&l);
    TAKES(20, CHECK(sem_wait(&s) == 0));
    CHECK(pthread_join(thread, NULL) == 0);
    snprintf(name, sizeof(name), "/vtime-%d", (int)getpid());
    named = sem_open(name, 0100 /* O_CREAT */, 0600, 0);
    REQUIRE(named != SEM_FAILED);
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(sem_timedwait(named, &t) == -1));
    CHECK(sem_close(named) == 0 && sem_unlink(name) == 0);
}

static int arrive(void *barrier)
{
    return pthread_barrier_wait(barrier);
}

static void barrier_case(void)
{
    pthread_barrier_t b;
    struct later l = {20, arrive, &b};
    pthread_t thread;

    CHECK(pthread_barrier_init(&b, NULL, 0) == EINVAL);
    REQUIRE(pthread_barrier_init(&b, NULL, 2) == 0);
    thread = start(&l);
    TAKES(20, CHECK(pthread_barrier_wait(&b) == 0));
    CHECK(pthread_join(thread, NULL) == 0);
    l.ms = 0;
    thread = start(&l);
    usleep(3000);
    TAKES(0, CHECK(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD));
    CHECK(pthread_join(thread, NULL) == 0 && pthread_barrier_destroy(&b) == 0);
}

static int ran;

static void slow_start(void)
{
    usleep(20000);
    ran++;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static int do_once(void *unused)
{
    (void)unused;
    return pthread_once(&once, slow_start);
}

/* The second caller waits until the first has run the function. */
static void once_case(void)
{
    static once_flag flag = ONCE_FLAG_INIT;
    struct later l = {0, do_once, NULL};
    pthread_t thread = start(&l);

    usleep(1000);
    TAKES(19, CHECK(__pthread_once(&once, slow_start) == 0));
    TAKES(0, CHECK(pthread_once(&once, slow_start) == 0 && ran == 1));
    CHECK(pthread_join(thread, NULL) == 0);
    TAKES(20, call_once(&flag, slow_start));
    TAKES(0, call_once(&flag, slow_start));
    CHECK(ran == 2);
}

static int nothing(void *unused)
{
    (void)unused;
    return 0;
}

static void join_case(void)
{
    struct later l = {50, nothing, NULL};
    pthread_t thread = start(&l);
    struct timespec t = from(CLOCK_REALTIME, 5 * MS);

    CHECK(pthread_tryjoin_np(thread, NULL) == EBUSY);
    TAKES(5, CHECK(pthread_timedjoin_np(thread, NULL, &t) == ETIMEDOUT));
    t = from(CLOCK_MONOTONIC, 5 * MS);
    TAKES(5, CHECK(pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &t) == ETIMEDOUT));
    TAKES(40, CHECK(pthread_join(thread, NULL) == 0));
}

struct c11 {
    mtx_t m;
    cnd_t c;
};

static int hold_c11(void *cx)
{
    struct c11 *c = cx;
    struct timespec t = spec(20 * MS);

    mtx_lock(&c->m);
    thrd_sleep(&t, NULL);
    mtx_unlock(&c->m);
    thrd_sleep(&t, NULL);
    cnd_signal(&c->c);
    thrd_sleep(&t, NULL);
    cnd_broadcast(&c->c);
    return 7;
}

static void c11_case(void)
{
    struct c11 c;
    thrd_t thread;
    struct timespec t;
    int result;

    REQUIRE(mtx_init(&c.m, mtx_timed) == thrd_success && cnd_init(&c.c) == thrd_success);
    REQUIRE(thrd_create(&thread, hold_c11, &c) == thrd_success);
    usleep(1000);
    CHECK(mtx_trylock(&c.m) == thrd_busy);
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(mtx_timedlock(&c.m, &t) == thrd_timedout));
    TAKES(14, CHECK(mtx_lock(&c.m) == thrd_success));
    TAKES(20, CHECK(cnd_wait(&c.c, &c.m) == thrd_success));
    TAKES(20, CHECK(cnd_wait(&c.c, &c.m) == thrd_success));
    t = from(CLOCK_REALTIME, 5 * MS);
    TAKES(5, CHECK(cnd_timedwait(&c.c, &c.m, &t) == thrd_timedout));
    CHECK(mtx_unlock(&c.m) == thrd_success);
    TAKES(0, CHECK(thrd_join(thread, &result) == thrd_success && result == 7));
}

static sem_t turn;
static char order[8];

static void *append_last(void *unused)
{
    (void)unused;
    sem_wait(&turn);
    strcat(order, "w");
    return NULL;
}

/* Threads at the same virtual time run one after the other. */
static void order_case(void)
{
    pthread_t thread;
    clock_t begin;

    sem_init(&turn, 0, 0);
    REQUIRE(pthread_create(&thread, NULL, append_last, NULL) == 0);
    usleep(20000);
    CHECK(sem_post(&turn) == 0);
    strcat(order, "a");
    for (begin = clock(); clock() - begin < CLOCKS_PER_SEC / 20;)
        continue;
    strcat(order, "b");
    pthread_join(thread, NULL);
    CHECK(strcmp(order, "abw") == 0);
}

const struct vtime_case vtime_threads[] = {
    {"mutex", mutex_case},     {"rwlock", rwlock_case}, {"spin", spin_case},
    {"cond", cond_case},       {"yield", yield_case},   {"semaphore", semaphore_case},
    {"barrier", barrier_case}, {"once", once_case},     {"join", join_case},
    {"c11", c11_case},         {"order", order_case},   {NULL, NULL}};
