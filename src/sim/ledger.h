/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ledger.h - the time that each sink was granted, and the CPU time that it used
 *
 * The account of a sink is always kept; the ledger is a file with a line for each slice
 * and each cycle, for plots.
 */
#ifndef SIM_LEDGER_H
#define SIM_LEDGER_H

#include <ach/status.h>
#include <stdbool.h>
#include <stdint.h>

struct sim_account {
    uint64_t activations; /* cycles that it began */
    uint64_t notes;       /* notes that it sent */
    uint64_t slices;      /* slices that it used up */
    int64_t used;         /* CPU time, without the cost of the client's calls */
    int64_t granted;      /* virtual time granted for computing */
    uint64_t blocks;      /* times it was blocked outside */
    int64_t blocked;      /* virtual time charged while it was blocked outside */
    int64_t left;         /* virtual time for which the world went on without it */
    int64_t suspended;    /* virtual time that it was suspended after overruns */
    uint64_t overruns;    /* cycles that exceeded the budget */
    int64_t worst;        /* the longest cycle */
    int64_t late;         /* the most that a slice exceeded its planned length */
};

/* Add a to sum: totals are added, worst and late are maxima. */
void sim_account_add(struct sim_account *sum, const struct sim_account *a);

struct sim_ledger;

ach_status_t sim_ledger_open(const char *path, struct sim_ledger **l);

/* A slice or a cycle: its wall and virtual time, planned and used length, and the sums so far. */
void sim_ledger_line(struct sim_ledger *l, const char *sink, const char *what, int64_t wall,
                     int64_t time, int64_t armed, int64_t used, const struct sim_account *a);
bool sim_ledger_close(struct sim_ledger *l);

#endif
