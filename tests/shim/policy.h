/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * policy.h - scheduling policies: random, exhaustive and scripted
 */
#ifndef SHIM_POLICY_H
#define SHIM_POLICY_H

#include "scheduler.h"

/*
 * Random. At each step the current actor goes on or another takes over. Each
 * run has its own rate of switching, because some bugs need an actor to stand
 * still while others take many steps.
 */
struct random_policy {
    struct policy policy;
    uint64_t *random;
    unsigned change; /* one in this many steps switches to another actor */
    unsigned kill;   /* one in this many steps kills the actor; 0: never */
    int kills;       /* kills left in this run */
    bool impatient;  /* lock attempts may time out */
};

void random_policy_init(struct random_policy *p, uint64_t *random, int kills, bool impatient);

/*
 * Exhaustive. All schedules with at most the given numbers of preemptions (an
 * actor is interrupted though it could go on) and of kills, at any step. Each
 * run repeats the choices of the previous run up to the last one that has an
 * untried alternative.
 */
#define CHOICES_MAX 4096 /* more choices occur only in a run that fails anyway */

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

/* Prepare the next run. False: all schedules have been run. */
bool exhaustive_policy_next(struct exhaustive_policy *p);

/* Scripted: each turn lets one actor run until it stops before a step. */
struct turn {
    int actor;
    int until; /* an enum shim_step, or TURN_REST */
    int times; /* stop at the times-th arrival at the step; 0: at the first */
    bool kill; /* kill the actor there */
};

/* The turn lasts until the actor ends, sleeps or is blocked. */
#define TURN_REST ((int)SHIM_STEPS)

struct scripted_policy {
    struct policy policy;
    const struct turn *turns;
    int n, at;
    int arrived; /* arrivals at the step in this turn */
};

/* After the last turn all run to their end, in the order of their ids. */
void scripted_policy_init(struct scripted_policy *p, const struct turn *turns, int n);

#endif
