/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * instructions.h - how many instructions an operation takes
 *
 * Counted by the processor where the system lets us, else by valgrind if it is
 * installed, else not at all.
 */
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

#include <stdio.h>

struct instructions {
    const char *name;
    double count; /* per operation */
};

#define INSTRUCTIONS_MAX 3u

/* Count them. Returns how many were counted and sets *how to a phrase that says how. */
unsigned instructions_count(struct instructions *out, const char **how);

/* What the program does when valgrind runs it: one operation, by name, many times. */
int instructions_repeat(const char *name);

#endif
