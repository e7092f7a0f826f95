/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - scenarios, and what came of them for each contender */
#ifndef PEERS_ROWS_H
#define PEERS_ROWS_H

#include "run.h"
#include "stopped.h"

#define ROUNDS_MAX 64u

struct scenario {
    const char *name;
    const char *about;
    struct setting setting;
    unsigned rounds;      /* for channels, floors and what the kernel has */
    unsigned peer_rounds; /* for libraries; at most rounds */
    bool in_place;        /* only contenders that copy nothing */
    bool quick;           /* is part of the quick run */
    bool asked;           /* only when its name is given */
};

struct row {
    const struct scenario *scenario;
    const struct contender *c;
    const char *impossible;                  /* why it cannot do this; NULL: it can */
    struct outcome all;                      /* of all rounds */
    double p50[ROUNDS_MAX], p99[ROUNDS_MAX]; /* of each; 0: it was not run */
    double ratio, ratio_p99;                 /* to the floor, medians; 0: there is none */
};

struct rows {
    struct row *row;
    unsigned count;
};

extern const struct scenario scenarios[];
extern const unsigned scenario_count;

/* The median over the rounds that both were run in of a's to b's. 0: there are none. */
double rows_ratio(const double *a, const double *b);

/* The row of a scenario and a contender, or NULL. */
const struct row *rows_find(const struct rows *rows, const char *scenario, const char *contender);

/* The contender that sleepers, or spinners, are compared with. */
const char *rows_floor(enum mode mode);

#endif
