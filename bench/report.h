/* SPDX-License-Identifier: BSD-3-Clause */
/* report.h - the results, for a person and for a program */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "instructions.h"
#include "machine.h"
#include "measure.h"

#define UNMEASURED_MAX 16u

/* A part of the table that could not be measured. */
struct unmeasured {
    const char *name;
    char *why;
};

struct report {
    struct machine machine;
    unsigned rounds;
    struct rows rows;
    struct instructions instructions[INSTRUCTIONS_MAX];
    unsigned instruction_count;
    const char *how; /* they were counted; NULL: they were not asked for */
    struct unmeasured unmeasured[UNMEASURED_MAX];
    unsigned unmeasured_count;
};

void report_finish(struct report *r);

void report_machine(const struct report *r);
void report_group(const struct report *r, const struct group *g, unsigned first_row);

/* Say that a part could not be measured, and keep the reason for the file. */
void report_unmeasured(struct report *r, const char *name, const char *why);

void report_instructions(const struct report *r);

/* How many claims were reached. */
void report_summary(const struct report *r);

/* Write the report to a file, or to whatever path is. False with errno. */
bool report_json(const struct report *r, const char *path);

#endif
