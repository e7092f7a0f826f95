/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - the words of the benchmark
 *
 * A contender is one way to do a thing. A group holds contenders that do
 * comparable things, and claims about them. The contenders of a group are
 * measured in turn, round by round, so that whatever else the machine does
 * hits all alike. A claim compares a contender with a floor in each round, and
 * reports the median over the rounds.
 *
 * To add a contender, write its three functions and add it to its group. To
 * add a group, add it to the table in main.c.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "samples.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define MESSAGE_SIZE 64u

/* One contender's turn in one round. Times are in nanoseconds per operation. */
struct trial {
    double scale;            /* how much to do, 1 is the default */
    struct samples *typical; /* its p50 counts: many operations per sample */
    struct samples *single;  /* its p99 and maximum count; if it stays empty, typical's do */
};

struct contender {
    const char *name;
    void *(*setup)(void); /* before the first round */
    void (*run)(void *state, struct trial *trial);
    void (*finish)(void *state); /* after it */
};

enum claim_kind {
    CLAIM_NOTHING,     /* a number to look at */
    CLAIM_AT_MOST,     /* p50 is at most limit times the floor's */
    CLAIM_P99_AT_MOST, /* p99 is at most limit times the floor's */
    CLAIM_AT_LEAST,    /* p50 is at least limit times the floor's */
    CLAIM_WITHIN,      /* neither p50 is more than limit times the other */
    CLAIM_EXTRA_NS     /* p50 is at most limit nanoseconds above the floor's */
};

/* One row of the report. */
struct claim {
    unsigned contender, floor; /* indices into the group's contenders */
    enum claim_kind kind;
    double limit;
};

struct group {
    const char *name;
    const char *about;
    const struct contender *contenders;
    unsigned contender_count;
    const struct claim *claims;
    unsigned claim_count;
    bool needs_two_cpus;
    const char *(*missing)(void); /* why it cannot be measured here, NULL if it can; may be NULL */
};

extern const struct group operations_group, blocking_group, paced_group, spinning_group, bulk_group,
    inplace_group, readers_group, kernel_group;

/* scale x n, at least least. */
static inline unsigned scaled(const struct trial *t, unsigned n, unsigned least)
{
    double m = t->scale * n;

    return m < least ? least : (unsigned)m;
}

#endif
