/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "bench.h"

void samples_add(struct samples *s, double value)
{
    if (s->count == s->room) {
        size_t room = s->room ? 2 * s->room : 256;
        double *grown = realloc(s->value, room * sizeof(*grown));

        MUST(grown != NULL);
        s->value = grown;
        s->room = room;
    }
    s->value[s->count++] = value;
    s->sorted = false;
}

void samples_append(struct samples *s, const struct samples *more)
{
    size_t i;

    for (i = 0; i < more->count; i++)
        samples_add(s, more->value[i]);
}

void samples_finish(struct samples *s)
{
    free(s->value);
    *s = (struct samples){0};
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double samples_quantile(struct samples *s, double q)
{
    size_t i;

    if (s->count == 0)
        return 0;
    if (!s->sorted)
        qsort(s->value, s->count, sizeof(*s->value), compare);
    s->sorted = true;
    i = (size_t)(q * (double)(s->count - 1) + 0.5);
    return s->value[i];
}

double samples_median(struct samples *s)
{
    double median = samples_quantile(s, 0.5);

    samples_finish(s);
    return median;
}
