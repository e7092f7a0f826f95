/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * actors.h - run functions beside each other, as processes or as threads
 *
 * Actors count their steps, so that an observer can tell whether they make
 * progress. If all are asleep and none has taken a step for a while, a wake-up
 * was lost: a process that was woken is runnable, however busy the machine is.
 */
#ifndef ACTORS_H
#define ACTORS_H

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>

#include "check.h"

#define ACTORS_MAX 24

/* A crew is stuck if it slept without a step in STUCK_LOOKS checks in a row, LOOK_MS apart. */
#define STUCK_LOOKS 10
#define LOOK_MS 20

/* Least number of messages or rounds of a run: none, or ten million if ACH_TEST_SCALE >= 1000. */
static inline uint64_t long_run(void)
{
    return check_scale(100) >= 1000 ? 10000000 : 0;
}

struct actor;
/* Returns the number of failed checks. */
typedef int actor_fun(struct actor *self);

struct actor {
    actor_fun *fun;
    void *arg;
    unsigned index;
    pid_t tid; /* 0 until it runs */
    uint32_t done;
    uint64_t steps;
    int failures;
};

struct crew {
    bool threads;
    unsigned n;
    struct actor *actors; /* shared with the processes */
    pid_t pids[ACTORS_MAX];
    pthread_t handles[ACTORS_MAX];
};

static inline void crew_init(struct crew *c, bool threads)
{
    *c = (struct crew){.threads = threads};
    c->actors = check_shared(ACTORS_MAX * sizeof(*c->actors));
}

static inline void crew_finish(struct crew *c)
{
    munmap(c->actors, ACTORS_MAX * sizeof(*c->actors));
}

static inline void actor_step(struct actor *a)
{
    __atomic_fetch_add(&a->steps, 1, __ATOMIC_RELAXED);
}

static inline void *actor_run(void *arg)
{
    struct actor *a = arg;

    __atomic_store_n(&a->tid, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    __atomic_store_n(&a->failures, a->fun(a), __ATOMIC_RELAXED);
    __atomic_store_n(&a->done, 1, __ATOMIC_RELEASE);
    return NULL;
}

static inline void crew_start(struct crew *c, actor_fun *fun, void *arg, unsigned index)
{
    struct actor *a = &c->actors[c->n];

    REQUIRE(c->n < ACTORS_MAX);
    *a = (struct actor){.fun = fun, .arg = arg, .index = index};
    if (c->threads) {
        REQUIRE(pthread_create(&c->handles[c->n++], NULL, actor_run, a) == 0);
        return;
    }
    fflush(NULL);
    c->pids[c->n] = fork();
    REQUIRE(c->pids[c->n] >= 0);
    if (c->pids[c->n++] == 0) {
        check_failures = 0;
        actor_run(a);
        exit(a->failures || check_failures);
    }
}

static inline void crew_kill(struct crew *c)
{
    unsigned i;

    if (c->threads) {
        fflush(NULL);
        _exit(1);
    }
    for (i = 0; i < c->n; i++) {
        kill(c->pids[i], SIGKILL);
        waitpid(c->pids[i], NULL, 0);
    }
}

static inline bool crew_join_thread(pthread_t t, long limit_ms)
{
    struct timespec end;

    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += limit_ms / 1000;
    return pthread_timedjoin_np(t, NULL, &end) == 0;
}

/* Wait for all actors. An actor that does not return within the limit has failed. */
static inline bool crew_join(struct crew *c, long limit_ms)
{
    bool ok = true;
    unsigned i;

    for (i = 0; i < c->n; i++) {
        if (!c->threads) {
            ok &= check_child(c->pids[i], limit_ms);
        } else if (!crew_join_thread(c->handles[i], limit_ms)) {
            fprintf(stderr, "thread %u of a crew does not return\n", i);
            crew_kill(c);
        }
        ok &= __atomic_load_n(&c->actors[i].failures, __ATOMIC_RELAXED) == 0;
    }
    return ok;
}

static inline char actor_state(const struct actor *a)
{
    return check_state(__atomic_load_n(&a->tid, __ATOMIC_ACQUIRE));
}

/* Are all threads of a process asleep, except the calling thread? */
static inline bool process_asleep(pid_t pid)
{
    pid_t self = (pid_t)syscall(SYS_gettid);
    const struct dirent *e;
    bool asleep;
    char path[64];
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    d = opendir(path);
    asleep = d != NULL;
    while (d && asleep && (e = readdir(d))) {
        pid_t tid = atoi(e->d_name);

        if (tid > 0 && tid != self)
            asleep = check_state(tid) == 'S';
    }
    if (d)
        closedir(d);
    return asleep;
}

static inline uint64_t crew_steps(const struct crew *c)
{
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < c->n; i++)
        sum += __atomic_load_n(&c->actors[i].steps, __ATOMIC_ACQUIRE);
    return sum;
}

static inline bool crew_done(const struct crew *c)
{
    unsigned i;

    for (i = 0; i < c->n; i++)
        if (!__atomic_load_n(&c->actors[i].done, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

static inline bool crew_asleep(const struct crew *c)
{
    unsigned i;

    if (c->threads)
        return process_asleep(getpid());
    for (i = 0; i < c->n; i++)
        if (!__atomic_load_n(&c->actors[i].done, __ATOMIC_ACQUIRE) && !process_asleep(c->pids[i]))
            return false;
    return true;
}

/* Has an actor's process ended before its function returned? One that has not begun has no tid. */
static inline bool crew_broken(const struct crew *c)
{
    unsigned i;

    for (i = 0; i < c->n; i++) {
        pid_t tid = __atomic_load_n(&c->actors[i].tid, __ATOMIC_ACQUIRE);
        char state = tid ? check_state(tid) : 'S';

        if ((state == 'Z' || state == 0) &&
            !__atomic_load_n(&c->actors[i].done, __ATOMIC_ACQUIRE)) {
            fprintf(stderr, "actor %u has ended before its function returned\n", i);
            return true;
        }
    }
    return false;
}

/* Check a crew once. *looks counts the checks in a row in which all slept without a step. */
static inline bool crew_stuck(const struct crew *c, uint64_t *steps, unsigned *looks)
{
    uint64_t now = crew_steps(c);
    bool still = now == *steps && !crew_done(c) && crew_asleep(c) && crew_steps(c) == now;

    *looks = still ? *looks + 1 : 0;
    *steps = now;
    return *looks >= STUCK_LOOKS;
}

#endif
