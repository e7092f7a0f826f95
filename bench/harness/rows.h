/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - what was measured, for those who compare and print it */
#ifndef ROWS_H
#define ROWS_H

#include "bench.h"

#define NOTES_MAX 60u

extern struct results {
    struct row **row; /* in the order in which they were made */
    unsigned count;
    char *note[NOTES_MAX];
    unsigned notes;
    struct {
        const char *name;
        char *why;
    } unmeasured[NOTES_MAX];
    unsigned unmeasured_count;
} results;

struct row *row_find(const char *group, const char *name, double x);

/* Set the ratios of a group's rows to its floor. */
void rows_compare(const struct group *g);

/* What became of a claim about one row. */
struct verdict {
    const struct claim *claim;
    struct row *row, *against; /* against: the fastest of a kind; NULL: nobody */
    double value;
    bool reached;
};

/* Judge a claim of a row. False: it is about another one, or what it needs was not measured. */
bool claim_judge(const struct claim *claim, struct row *row, struct verdict *v);

#endif
