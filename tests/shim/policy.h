/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * policy.h - ways to decide who runs: by chance, all of them, and as written down
 */
#ifndef SHIM_POLICY_H
#define SHIM_POLICY_H

#include "scheduler.h"

/*
 * By chance. An actor goes on or another takes over; each run has its own
 * habit of changing often or seldom, because some bugs need an actor to stand
 * still while others do a lot.
 */
struct random_policy {
    struct policy policy;
    uint64_t *random;
    unsigned change; /* one in so many steps changes the actor */
    unsigned kill;   /* one in so many steps kills; 0: none does */
    int kills;       /* at most so many */
    bool impatient;  /* lock attempts may time out */
};

void random_policy_init(struct random_policy *p, uint64_t *random, int kills, bool impatient);

/*
 * All schedules in which at most so many times an actor is interrupted though
 * it could go on, and at most so many are killed, at any step. Each run repeats
 * the choices of the one before up to the last that has an alternative.
 */
#define CHOICES_MAX 4096 /* beyond that a run has gone wrong anyway */

struct exhaustive_policy {
    struct policy policy;
    int preemptions, kills; /* limits */
    int preempted, killed;  /* in this run */
    int at, n;
    struct {
        uint8_t chosen, options;
    } choices[CHOICES_MAX];
};

void exhaustive_policy_init(struct exhaustive_policy *p, int preemptions, int kills);

/* Get ready for the next run. False: all have been. */
bool exhaustive_policy_next(struct exhaustive_policy *p);

/* As written down: each turn lets one actor run until it stands before a step. */
struct turn {
    int actor;
    int until; /* an enum shim_step, or TURN_REST */
    int times; /* stop there only the so-manieth time; 0: the first */
    bool kill; /* and kill it there */
};

/* The turn lasts until the actor ends, sleeps or is blocked. */
#define TURN_REST ((int)SHIM_STEPS)

struct scripted_policy {
    struct policy policy;
    const struct turn *turns;
    int n, at;
    int arrived; /* at the step, in this turn */
};

/* After the last turn all run to their end, in the order of their ids. */
void scripted_policy_init(struct scripted_policy *p, const struct turn *turns, int n);

#endif
