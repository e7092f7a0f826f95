/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - the results, for a person and for a program */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "instructions.h"
#include "machine.h"
#include "measure.h"

struct report {
    struct machine machine;
    unsigned rounds;
    struct rows rows;
    struct instructions instructions[INSTRUCTIONS_MAX];
    unsigned instruction_count;
    const char *how; /* they were counted; NULL: they were not asked for */
};

void report_machine(const struct report *r);
void report_group(const struct report *r, const struct group *g, unsigned first_row);
void report_instructions(const struct report *r);

/* How many claims were reached. */
void report_summary(const struct report *r);

/* Write the report to a file, or to whatever path is. False with errno. */
bool report_json(const struct report *r, const char *path);

#endif
