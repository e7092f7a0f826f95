/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * policy.h - ways to decide who runs: by chance, and every possible one in turn
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
    unsigned change;            /* one in so many steps changes the actor */
    unsigned kill;              /* one in so many steps kills; 0: none does */
    int kills;                  /* at most so many */
    bool impatient;             /* lock attempts may time out */
};

void random_policy_init(struct random_policy *p, uint64_t *random, int kills, bool impatient);

/*
 * All schedules in which at most so many times an actor is interrupted though
 * it could go on, and at most so many are killed, at any step. Each run repeats
 * the choices of the one before up to the last that has an alternative.
 */
#define CHOICES_MAX 4096

struct exhaustive_policy {
    struct policy policy;
    int preemptions, kills;     /* limits */
    int preempted, killed;      /* in this run */
    int at, n;
    struct {
        uint8_t chosen, options;
    } choices[CHOICES_MAX];
};

void exhaustive_policy_init(struct exhaustive_policy *p, int preemptions, int kills);

/* Get ready for the next run. False: all have been. */
bool exhaustive_policy_next(struct exhaustive_policy *p);

#endif
