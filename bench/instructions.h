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
    const char *function; /* the same in one word */
    double count;         /* per operation */
};

#define INSTRUCTIONS_MAX 3u

/* Count them. Returns how many were counted and sets *how to a phrase that says how. */
unsigned instructions_count(struct instructions *out, const char **how);

/* Likewise, by valgrind only: what does not depend on the processor, for records. */
unsigned instructions_count_exactly(struct instructions *out);

/*
 * Run this program once more under valgrind, as "PROGRAM --repeat NAME", which does an operation
 * INSTRUCTIONS_REPEAT times. Returns how many instructions each took in the function symbol and
 * what it calls, 0 if there is no telling.
 */
#define INSTRUCTIONS_REPEAT 6400u
double instructions_in(const char *symbol, const char *name);

/* What the program does when valgrind runs it: one operation, by name, many times. */
int instructions_repeat(const char *name);

#endif
