/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - run the contenders of a group in turn, and judge its claims */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "bench.h"

struct row {
    const char *group;
    const char *name;
    const char *floor;
    double p50, p99, max;    /* nanoseconds, over all rounds */
    double ratio, ratio_p99; /* to the floor: the median over the rounds */
    double extra_ns;         /* above the floor, likewise */
    enum claim_kind kind;
    double limit;
    bool reached;
};

struct rows {
    struct row *row;
    unsigned count;
};

/* Called before each contender's turn. */
typedef void progress_fun(const struct group *g, unsigned round, unsigned rounds, const char *name);

void measure(const struct group *g, unsigned rounds, double scale, progress_fun *progress,
             struct rows *out);

#endif
