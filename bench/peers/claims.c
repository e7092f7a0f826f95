/* SPDX-License-Identifier: BSD-3-Clause */
/* claims.c - what we promise of channels beside others, held against this run */
#include <stdio.h>
#include <string.h>

#include "output.h"

#define MIB (1024u * 1024u)
#define KERNEL_PACED 1.1 /* at most so many times the fastest that the kernel has */
#define KERNEL_SATURATED 1.15

struct verdicts {
    unsigned reached, all;
};

static void verdict(struct verdicts *v, bool ok, const char *what, const char *against,
                    double ratio, double limit)
{
    printf("  %-7s %-52s %6.2f <= %.2f  %s\n", ok ? "reached" : "MISSED", what, ratio, limit,
           against);
    v->all++;
    v->reached += ok;
}

static bool same(const struct row *a, const struct row *b)
{
    return a->scenario == b->scenario;
}

/* Messages so large that copying them is what takes the time. */
static bool large(const struct row *row)
{
    return row->scenario->setting.size >= MIB;
}

/* The largest ratio of a row to the rows of other contenders of the kind. */
static double worst(const struct results *r, const struct row *ours, enum kind kind, bool p99,
                    const char **against)
{
    double most = 0;
    unsigned i;

    *against = "";
    for (i = 0; i < r->rows.count; i++) {
        const struct row *other = &r->rows.row[i];
        double ratio;

        if (!same(other, ours) || other->c->kind != kind ||
            (other->c->copies_nothing && !ours->c->copies_nothing && large(ours)))
            continue;
        ratio = p99 ? rows_ratio(ours->p99, other->p99) : rows_ratio(ours->p50, other->p50);
        if (ratio > most) {
            most = ratio;
            *against = other->c->name;
        }
    }
    return most;
}

static void beside_all(struct verdicts *v, const struct results *r, const struct row *ours)
{
    double ratio, limit = ours->scenario->setting.rate_hz > 0 ? KERNEL_PACED : KERNEL_SATURATED;
    const char *name = ours->scenario->name, *against;
    char what[80];

    ratio = worst(r, ours, KIND_LIBRARY, false, &against);
    snprintf(what, sizeof(what), "%s: p50 to the fastest library", name);
    if (ratio > 0)
        verdict(v, ratio < 1, what, against, ratio, 1);
    ratio = worst(r, ours, KIND_LIBRARY, true, &against);
    snprintf(what, sizeof(what), "%s: p99 to the best library", name);
    if (ratio > 0)
        verdict(v, ratio < 1, what, against, ratio, 1);
    ratio = worst(r, ours, KIND_KERNEL, false, &against);
    snprintf(what, sizeof(what), "%s: p50 to the fastest of the kernel", name);
    if (ratio > 0)
        verdict(v, ratio <= limit, what, against, ratio, limit);
}

static void one_row(struct verdicts *v, const struct results *r, const struct row *ours)
{
    const struct setting *s = &ours->scenario->setting;
    const char *name = ours->scenario->name, *against;
    char what[80];
    double ratio;

    if (strcmp(name, "paced-1k") == 0 || strcmp(name, "saturated") == 0)
        beside_all(v, r, ours);
    if (strcmp(name, "receivers") == 0 && ours->ratio > 0) {
        snprintf(what, sizeof(what), "%s: %u, p50 to a futex broadcast", name, s->receivers);
        verdict(v, ours->ratio <= 1.1, what, "futex", ours->ratio, 1.1);
    }
    if (strcmp(name, "spin") == 0 && ours->ratio > 0)
        verdict(v, ours->ratio <= 2, "spin: p50 to a cache line", "cache line", ours->ratio, 2);
    if (strcmp(name, "sizes") == 0 && s->size == MIB) {
        ratio = worst(r, ours, KIND_LIBRARY, false, &against);
        if (ratio > 0)
            verdict(v, ratio < 1, "sizes: 1 MiB, p50 to the fastest library that copies", against,
                    ratio, 1);
        ratio = worst(r, ours, KIND_KERNEL, false, &against);
        if (ratio > 0)
            verdict(v, ratio < 1, "sizes: 1 MiB, p50 to the fastest of the kernel", against, ratio,
                    1);
    }
}

/* The calls of a kernel channel's device beside those of a pipe. */
static void device(struct verdicts *v, const struct results *r)
{
    static const char *const names[] = {"poll", "poll-saturated"};
    unsigned i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct row *ours = rows_find(&r->rows, names[i], "ach device");
        const struct row *pipe = rows_find(&r->rows, names[i], "pipe");
        double ratio = ours && pipe ? rows_ratio(ours->p50, pipe->p50) : 0;
        char what[80];

        snprintf(what, sizeof(what), "%s: kernel channel, p50 to a pipe", names[i]);
        if (ratio > 0)
            verdict(v, ratio <= 1, what, pipe->c->name, ratio, 1);
    }
}

static void in_place(struct verdicts *v, const struct results *r)
{
    const struct row *small = NULL, *large = NULL;
    unsigned i;

    for (i = 0; i < r->rows.count; i++) {
        const struct row *row = &r->rows.row[i];

        if (strcmp(row->scenario->name, "untouched") != 0 || row->c->kind != KIND_ACH)
            continue;
        if (row->scenario->setting.size == MIB)
            large = row;
        else
            small = row;
    }
    if (small && large) {
        double ratio = rows_ratio(large->p50, small->p50);

        if (ratio > 0)
            verdict(v, ratio <= 1.1, "untouched: 1 MiB in place to 64 B in place", small->c->name,
                    ratio, 1.1);
    }
}

void output_claims(const struct results *r)
{
    struct verdicts v = {0};
    unsigned i;

    if (r->rows.count > 0 && strcmp(r->rows.row[0].scenario->name, "own") == 0)
        return;
    puts("\npromises");
    /* One processor is no robot's: it says nothing of processes that run side by side. */
    for (i = 0; i < r->rows.count && r->machine.cpus > 1; i++)
        if (strcmp(r->rows.row[i].c->name, "ach") == 0)
            one_row(&v, r, &r->rows.row[i]);
    in_place(&v, r);
    device(&v, r);
    for (i = 0; i < r->entry_count; i++) {
        const struct entry *e = &r->entries[i];

        if (strcmp(e->c->name, "ach newest") != 0 || !e->was_stopped || !e->stopped.first)
            continue;
        v.all++;
        v.reached += strcmp(e->stopped.first, "newest") == 0;
        printf("  %-7s stopped: the first message after going on is the %s\n",
               strcmp(e->stopped.first, "newest") == 0 ? "reached" : "MISSED", e->stopped.first);
    }
    printf("%u of %u promises hold in this run\n", v.reached, v.all);
    fflush(stdout);
}
