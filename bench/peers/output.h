/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - the results, for a person and for programs */
#ifndef PEERS_OUTPUT_H
#define PEERS_OUTPUT_H

#include "../machine.h"
#include "../whole_file.h"
#include "rows.h"

struct entry { /* a contender, and whether it takes part */
    const struct contender *c;
    char status[WHY_SIZE]; /* "ok", or why not */
    struct stopped stopped;
    bool was_stopped;
};

struct results {
    struct machine machine;
    const char *extent; /* "quick", "full", ... */
    struct entry *entries;
    unsigned entry_count;
    struct rows rows;
};

extern const char *const output_kinds[]; /* by enum kind */

/* The rows of one scenario, the fastest first. */
void output_scenario(const struct results *r, unsigned first_row, const struct scenario *s);
void output_contenders(const struct results *r);
void output_stopped(const struct results *r);

/* What we promise, and whether this run shows it. */
void output_claims(const struct results *r);

/* Write report.json, all of it or nothing. False with errno. */
bool output_json(const struct results *r, struct whole_file *w);

/* Lines that say something, of files of this folder with blanks between. */
unsigned source_lines(const char *files);

#endif
