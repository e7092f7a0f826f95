/* SPDX-License-Identifier: BSD-3-Clause */
/* samples.h - numbers that were measured */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include <stddef.h>

struct samples {
    double *value;
    size_t count, room;
};

void samples_add(struct samples *s, double value);
void samples_append(struct samples *s, const struct samples *more);
void samples_clear(struct samples *s);
void samples_finish(struct samples *s);

/* The value below which the fraction q of all lies; sorts s. 0 if there are none. */
double samples_quantile(struct samples *s, double q);

#endif
