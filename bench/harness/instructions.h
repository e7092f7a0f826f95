/* SPDX-License-Identifier: BSD-3-Clause */
/* instructions.h - how many instructions an operation takes */
#ifndef BENCH_INSTRUCTIONS_H
#define BENCH_INSTRUCTIONS_H

#include "bench.h"

#define INSTRUCTIONS_REPEAT 6400u

/*
 * Counted by valgrind, which runs this program once more, as "PROGRAM --repeat NAME". That does an
 * operation INSTRUCTIONS_REPEAT times. Returns how many instructions each took in the function
 * symbol and what it calls; fails the attempt if there is no valgrind.
 */
double instructions_in(const char *symbol, const char *name);

/* Do an operation that often. */
void instructions_repeat(const struct op *op);

#endif
