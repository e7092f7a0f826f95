/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.c - keep samples and rows, measure operations, compare rows */
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ticks.h"

#define QUICK_SCALE 0.25
#define BATCHES 40u
#define BATCH_MAX 1000u
#define SINGLES 4000u

struct results results;

unsigned scaled(unsigned n, unsigned least)
{
    double m = bench.quick ? QUICK_SCALE * n : n;

    return m < least ? least : (unsigned)m;
}

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

void note(const char *format, ...)
{
    va_list args;
    char *text;
    unsigned i;

    va_start(args, format);
    MUST(vasprintf(&text, format, args) >= 0);
    va_end(args);
    for (i = 0; i < results.notes && strcmp(results.note[i], text) != 0; i++)
        continue;
    MUST(i < NOTES_MAX);
    results.note[i] = text;
    results.notes = i == results.notes ? i + 1 : results.notes;
}

struct row *row_find(const char *group, const char *name, double x)
{
    unsigned i;

    for (i = 0; i < results.count; i++)
        if (strcmp(results.row[i]->group->name, group) == 0 && results.row[i]->x == x &&
            strcmp(results.row[i]->name, name) == 0)
            return results.row[i];
    return NULL;
}

struct row *row_of(const struct group *g, const char *name, const char *kind, double x)
{
    struct row *row = row_find(g->name, name, x);
    unsigned i;

    if (row)
        return row;
    row = calloc(1, sizeof(*row));
    results.row = realloc(results.row, (results.count + 1) * sizeof(struct row *));
    MUST(row && results.row);
    *row = (struct row){.group = g, .name = name, .kind = kind, .x = x};
    for (i = 0; i < ROUNDS_MAX; i++)
        row->p50[i] = row->p99[i] = NAN;
    results.row[results.count++] = row;
    return row;
}

void row_add(struct row *row, unsigned round, struct outcome *once)
{
    struct outcome *all = &row->all;

    if (once->ns.count && once->single.count == 0)
        samples_append(&once->single, &once->ns);
    if (once->ns.count && round < ROUNDS_MAX) {
        row->p50[round] = samples_quantile(&once->ns, 0.5);
        row->p99[round] = samples_quantile(&once->single, 0.99);
    }
    samples_append(&all->ns, &once->ns);
    samples_append(&all->single, &once->single);
    all->sent += once->sent;
    all->lost += once->lost;
    all->reordered += once->reordered;
    all->damaged += once->damaged;
    if (once->why[0])
        memcpy(all->why, once->why, sizeof(once->why));
    samples_finish(&once->ns);
    samples_finish(&once->single);
}

void row_value(const struct group *g, const char *name, double x, unsigned round, double value)
{
    struct outcome once = {0};

    samples_add(&once.ns, value);
    row_add(row_of(g, name, NULL, x), round, &once);
}

double batch_ns(void (*batch)(void *state, unsigned n), void *state, unsigned n, unsigned batches)
{
    struct samples samples = {0};
    unsigned i;

    for (i = 0; i <= batches; i++) {
        uint64_t start = ticks();

        batch(state, n);
        if (i > 0)
            samples_add(&samples, ticks_to_ns(start, ticks()) / n);
    }
    return samples_median(&samples);
}

/* In long batches, and one by one as far as the counter can. */
static void op_measure(const struct op *op, void *state, struct outcome *once)
{
    unsigned i, n = op->batch_max, group = ticks_group();
    unsigned batches = op->batches ? op->batches : scaled(BATCHES * BATCH_MAX / n, 5);
    unsigned singles = op->batches ? 0 : scaled(SINGLES, 200);
    uint64_t start;

    if (op->batch_bytes && n * op->x > (double)op->batch_bytes)
        n = op->x > (double)op->batch_bytes ? 1 : (unsigned)((double)op->batch_bytes / op->x);
    for (i = 0; i <= batches + singles; i++) {
        if (i > batches)
            n = group;
        if (op->prepare)
            op->prepare(state, n);
        start = ticks();
        op->batch(state, n);
        if (i > 0)
            samples_add(i <= batches ? &once->ns : &once->single, ticks_to_ns(start, ticks()) / n);
    }
}

static void op_turn(const struct group *g, const struct op *op, unsigned round)
{
    unsigned held = held_count;
    struct outcome once = {0};
    void *state = op->setup(op);

    if (op->run)
        op->run(state, &once);
    else
        op_measure(op, state, &once);
    release_to(held);
    row_add(row_of(g, op->name, NULL, op->x), round, &once);
}

void ops_measure(const struct group *g, unsigned round)
{
    const struct op *ops = g->what;
    unsigned i, count = 0;
    double x = g->x_first;

    while (ops[count].name)
        count++;
    do {
        for (i = 0; i < count; i++) {
            struct op op = ops[(round + i) % count];

            op.x = x;
            op_turn(g, &op, round);
        }
        x *= g->x_factor;
    } while (x > 0 && x <= g->x_last && (!g->x_fits || g->x_fits(x)));
}

/* The median, over the rounds in which both were measured, of a's to b's; or of the difference. */
static double over_rounds(const double *a, const double *b, bool difference)
{
    struct samples s = {0};
    unsigned i;

    for (i = 0; i < ROUNDS_MAX; i++)
        if (difference ? !isnan(a[i] - b[i]) : a[i] > 0 && b[i] > 0)
            samples_add(&s, difference ? a[i] - b[i] : a[i] / b[i]);
    return s.count ? samples_median(&s) : NAN;
}

double row_ratio(const struct row *row, bool of_p99)
{
    const struct group *g = row->group;
    const struct row *floor = g->floor ? row_find(g->name, g->floor, g->x) : NULL;
    double ratio = 0;

    if (floor)
        ratio = of_p99 ? over_rounds(row->p99, floor->p99, false)
                       : over_rounds(row->p50, floor->p50, false);
    return isnan(ratio) ? 0 : ratio;
}

/* b: what the claim compares with; NULL: it is about a itself. */
static double value_of(const struct claim *c, struct row *a, const struct row *b)
{
    struct outcome *all = &a->all;

    if (!b && all->ns.count == 0)
        return NAN;
    if (!b)
        return c->how == P99_BELOW ? samples_quantile(&all->single, 0.99)
                                   : samples_quantile(&all->ns, 0.5);
    return c->how == P99_AT_MOST ? over_rounds(a->p99, b->p99, false)
                                 : over_rounds(a->p50, b->p50, c->how == EXTRA);
}

static bool reached(const struct claim *c, const struct row *row, double value)
{
    if (c->how == AT_LEAST)
        return value >= c->limit;
    if (!c->against && row->all.lost > 0)
        return false;
    return value <= c->limit && (c->how != WITHIN || value >= 1 / c->limit);
}

/* Compare with a row; if several are named, the one that leaves the largest value counts. */
static void judge_against(struct verdict *v, struct row *other)
{
    double value = value_of(v->claim, v->row, other);

    if (isnan(value) || (v->against && value <= v->value))
        return;
    v->value = value;
    v->against = other;
}

bool claim_judge(const struct claim *c, struct row *row, struct verdict *v)
{
    double x = c->against_x > 0 ? c->against_x : row->x;
    unsigned i;

    *v = (struct verdict){.claim = c, .row = row, .value = NAN};
    if (fnmatch(c->group, row->group->name, 0) != 0 || strcmp(row->name, c->name) != 0 ||
        (c->x > 0 && row->x != c->x))
        return false;
    if (!c->against)
        v->value = value_of(c, row, NULL);
    for (i = 0; c->against && i < results.count; i++) {
        struct row *other = results.row[i];

        if (strcmp(other->group->name, row->group->name) == 0 && other->x == x &&
            (strcmp(other->name, c->against) == 0 ||
             (other->kind && !other->aside && strcmp(other->kind, c->against) == 0)))
            judge_against(v, other);
    }
    v->reached = reached(c, row, v->value);
    return !isnan(v->value);
}
