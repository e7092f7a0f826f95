/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <stdlib.h>

#include "peer.h"

/* What is known of one contender. */
struct outcome {
    struct samples typical, single; /* of all rounds */
    double *p50, *p99;              /* of each round */
};

static void take_turn(const struct contender *c, struct outcome *o, unsigned round, double scale)
{
    struct samples typical = {0}, single = {0};
    struct trial trial = {.scale = scale, .typical = &typical, .single = &single};
    void *state;

    state = c->setup();
    c->run(state, &trial);
    c->finish(state);
    if (single.count == 0)
        samples_append(&single, &typical);
    o->p50[round] = samples_quantile(&typical, 0.5);
    o->p99[round] = samples_quantile(&single, 0.99);
    samples_append(&o->typical, &typical);
    samples_append(&o->single, &single);
    samples_finish(&typical);
    samples_finish(&single);
}

static struct outcome *outcomes_create(const struct group *g, unsigned rounds)
{
    struct outcome *o = calloc(g->contender_count, sizeof(*o));
    unsigned i;

    MUST(o != NULL);
    for (i = 0; i < g->contender_count; i++) {
        o[i].p50 = calloc(rounds, sizeof(double));
        o[i].p99 = calloc(rounds, sizeof(double));
        MUST(o[i].p50 && o[i].p99);
    }
    return o;
}

static void outcomes_destroy(const struct group *g, struct outcome *o)
{
    unsigned i;

    for (i = 0; i < g->contender_count; i++) {
        samples_finish(&o[i].typical);
        samples_finish(&o[i].single);
        free(o[i].p50);
        free(o[i].p99);
    }
    free(o);
}

static double divide(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The median over the rounds of what becomes of two numbers of each round. */
static double compare(const double *a, const double *b, unsigned rounds, bool difference)
{
    struct samples s = {0};
    double median;
    unsigned i;

    for (i = 0; i < rounds; i++)
        samples_add(&s, difference ? a[i] - b[i] : divide(a[i], b[i]));
    median = samples_quantile(&s, 0.5);
    samples_finish(&s);
    return median;
}

static bool is_reached(const struct row *r)
{
    switch (r->kind) {
    case CLAIM_AT_MOST:
        return r->ratio <= r->limit;
    case CLAIM_P99_AT_MOST:
        return r->ratio_p99 <= r->limit;
    case CLAIM_AT_LEAST:
        return r->ratio >= r->limit;
    case CLAIM_WITHIN:
        return r->ratio <= r->limit && r->ratio >= 1 / r->limit;
    case CLAIM_EXTRA_NS:
        return r->extra_ns <= r->limit;
    case CLAIM_NOTHING:
        break;
    }
    return true;
}

static struct row judge(const struct group *g, const struct claim *claim, struct outcome *all,
                        unsigned rounds)
{
    struct outcome *o = &all[claim->contender], *f = &all[claim->floor];
    struct row r = {
        .group = g->name,
        .name = g->contenders[claim->contender].name,
        .floor = g->contenders[claim->floor].name,
        .p50 = samples_quantile(&o->typical, 0.5),
        .p99 = samples_quantile(&o->single, 0.99),
        .max = samples_quantile(&o->single, 1),
        .ratio = compare(o->p50, f->p50, rounds, false),
        .ratio_p99 = compare(o->p99, f->p99, rounds, false),
        .extra_ns = compare(o->p50, f->p50, rounds, true),
        .kind = claim->kind,
        .limit = claim->limit,
    };

    r.reached = is_reached(&r);
    return r;
}

void measure(const struct group *g, unsigned rounds, double scale, progress_fun *progress,
             struct rows *out)
{
    struct outcome *o = outcomes_create(g, rounds);
    unsigned round, i;

    for (round = 0; round < rounds; round++) {
        for (i = 0; i < g->contender_count; i++) {
            unsigned turn = (round + i) % g->contender_count;

            progress(g, round, rounds, g->contenders[turn].name);
            take_turn(&g->contenders[turn], &o[turn], round, scale);
        }
    }
    out->row = realloc(out->row, (out->count + g->claim_count) * sizeof(*out->row));
    MUST(out->row != NULL);
    for (i = 0; i < g->claim_count; i++)
        out->row[out->count++] = judge(g, &g->claims[i], o, rounds);
    outcomes_destroy(g, o);
}
