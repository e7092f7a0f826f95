/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ledger.h - what each sink was given, and what it used
 *
 * The account of a sink is always kept; the ledger is a file with a line for each slice
 * and each cycle, for plots.
 */
#ifndef ACHI_SIM_LEDGER_H
#define ACHI_SIM_LEDGER_H

#include <ach/status.h>
#include <stdbool.h>
#include <stdint.h>

struct achi_account {
    uint64_t activations; /* cycles that it began */
    uint64_t notes;       /* calls that the coordinator heard of */
    uint64_t slices;      /* that it used up */
    int64_t used;         /* CPU time that it used, without what its calls cost */
    int64_t granted;      /* virtual time that it was permitted to compute */
    uint64_t blocks;      /* how often it was blocked outside */
    int64_t blocked;      /* virtual time that it was charged while it was blocked outside */
    int64_t left;         /* virtual time for which the world went on without it */
    int64_t suspended;    /* virtual time that it was kept from computing */
    uint64_t overruns;    /* cycles that used up the budget */
    int64_t worst;        /* the longest that one took */
    int64_t late;         /* the longest that a slice took too long */
};

/* Both together. */
void achi_account_add(struct achi_account *sum, const struct achi_account *a);

struct achi_ledger;

ach_status_t achi_ledger_open(const char *path, struct achi_ledger **l);

/* A slice or a cycle: when it ended, what it was to take and took, and both sums so far. */
void achi_ledger_line(struct achi_ledger *l, const char *sink, const char *what, int64_t wall,
                      int64_t time, int64_t armed, int64_t used, const struct achi_account *a);
bool achi_ledger_close(struct achi_ledger *l);

#endif
