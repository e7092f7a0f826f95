/* SPDX-License-Identifier: BSD-3-Clause */
/* channels.h - the groups of ach-bench */
#ifndef CHANNELS_H
#define CHANNELS_H

#include "bench.h"

extern const struct op operations[], in_place_ops[], bulk_ops[], readers_ops[], kernel_ops[];

/* The operations whose instructions are counted; ended by one without an operation. */
extern const struct counted {
    const struct op *op;
    const char *symbol; /* the function of libach */
    const char *word;   /* its name in records */
} counted[];

/* What valgrind runs: one of them, by name, many times. Returns what to exit with. */
int counted_repeat(const char *name);

const char *kernel_missing(void);
void herd_measure(const struct group *g, unsigned round);

#endif
