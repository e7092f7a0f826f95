/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scheduler.h - run actors one at a time, as a policy decides
 *
 * An actor is a body of code on a stack of its own. It runs until it reaches a
 * step; there a policy decides which actor goes on, or that this one is killed.
 * The scheduler does what the kernel does for real writers and readers: the
 * lock is released when its owner dies, and a sleeper sleeps only while the
 * word has the value it expects.
 */
#ifndef SHIM_SCHED_H
#define SHIM_SCHED_H

#include <setjmp.h>

#include "deps_shim.h"
#include "fiber.h"

#define SCHED_MAX 8
#define SCHED_KILL (-1)

enum actor_state {
    ACTOR_READY,
    ACTOR_BLOCKED, /* the lock is taken */
    ACTOR_ASLEEP,
    ACTOR_LATER, /* begins when another one has ended */
    ACTOR_DONE,
    ACTOR_KILLED
};

struct actor {
    struct fiber fiber;
    jmp_buf end;
    enum actor_state state;
    int id;
    int after; /* ACTOR_LATER: id of the actor whose end it waits for */
    enum shim_step at;
    void (*body)(void *);
    void *arg;
};

/* A scheduling decision. The current actor, if it can go on, is ready[0]. */
struct sched_point {
    const struct actor *current;
    bool goes_on;
    int ready[SCHED_MAX];
    int n;
};

struct policy {
    /* An index into ready, or SCHED_KILL if the current actor can go on. */
    int (*pick)(struct policy *p, const struct sched_point *point);
    /* The lock is held: does the waiter's timeout expire now? May be NULL: never. */
    bool (*gives_up)(struct policy *p);
};

struct sched_hooks {
    /* The actor's last access is done: it stands before the next or has ended. NULL: main. */
    void (*done)(const struct actor *a);
    /* The actor was chosen, and now makes the access of its step. May be NULL. */
    void (*runs)(const struct actor *a);
    /* The actor was killed at its step. May be NULL. */
    void (*killed)(const struct actor *a);
    /* Should the run end at once? */
    bool (*stop)(void);
};

/* Forget all actors. */
void sched_reset(struct policy *p, const struct sched_hooks *hooks, uint64_t budget);

/* after: the id of the actor that must end first, or -1. Ids count from 0. */
struct actor *sched_add(void (*body)(void *), void *arg, int after);

/* Run until no actor can go on. */
void sched_run(void);

/* End all actors that have not ended. */
void sched_stop(void);

/* NULL in the main program, whose steps are never interrupted. */
struct actor *sched_current(void);
struct actor *sched_actor(int id);
uint64_t sched_steps(void);

/* How often the step was taken, in all runs. */
uint64_t sched_taken(enum shim_step at);
bool sched_over_budget(void);

/* What the kernel provides to the actors: the lock, and sleeping on a word. */
struct actor *sched_lock_owner(void);
bool sched_locked(void);
enum ach_status sched_lock(void);
void sched_unlock(void);
void sched_sleep(const uint32_t *word, uint32_t expected);
void sched_wake(void);

/* Print the latest steps. */
void sched_print_log(void);

#endif
