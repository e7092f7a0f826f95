/* SPDX-License-Identifier: BSD-3-Clause */
/* operations.h - short operations that one process does alone */
#ifndef BENCH_OPERATIONS_H
#define BENCH_OPERATIONS_H

#include "bench.h"

struct op {
    const char *name;
    const char *symbol; /* the library function it is about, or NULL */
    unsigned batch_max; /* operations in a row */
    void *(*setup)(void);
    void (*prepare)(void *state, unsigned n); /* for n operations; not timed; may be NULL */
    void (*batch)(void *state, unsigned n);   /* do it n times */
    void (*finish)(void *state);
};

extern const struct op op_put, op_get_last, op_get_first;

/* Time an operation in long batches, and by itself as far as the counter can. */
void op_measure(const struct op *op, void *state, struct trial *trial);

#endif
