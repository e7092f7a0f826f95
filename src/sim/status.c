/* SPDX-License-Identifier: BSD-3-Clause */
/* status.c - status on the terminal and in the channel sim.NAME.status, and the final report */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

#define EVERY 200000000LL /* wall time between two updates */
#define ROOM 4000u

static size_t append(char *text, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static size_t append(char *text, size_t at, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text + at, ROOM - at, format, args);
    va_end(args);
    at += n > 0 ? (size_t)n : 0;
    return at < ROOM ? at : ROOM - 1;
}

/* Real-time factor: virtual time by wall time since the start, without pauses. */
static double factor(const struct sim_sim *s)
{
    int64_t wall = monotonic_ns() - s->wall_start - s->wall_still;

    return wall > 0 ? (double)s->now / (double)wall : 0;
}

static const char *phase(const struct sim_sink *k)
{
    static const char *const words[] = {"computes", "asks", "waits", "is away"};

    return k->outside ? "is blocked" : words[k->phase];
}

/* The error is the difference to measured CPU time, so there is none with other models. */
static size_t charge(const struct sim_sink *k, char *text, size_t n)
{
    const struct sim_account *a = &k->account;

    if (!sim_schedule_measured(k))
        return append(text, n, "  granted %9.3f s", (double)a->granted * 1e-9);
    return append(text, n, "  cpu %9.3f s  error %+9.3f us", (double)a->used * 1e-9,
                  (double)(a->granted - a->used) * 1e-3);
}

static size_t lines(const struct sim_sim *s, char *text)
{
    const struct sim_sink *k;
    size_t n =
        append(text, 0, "%s  %.3f s%s  %.3g x real time%s\n", s->plan->name, (double)s->now * 1e-9,
               s->paused ? "  paused" : "", factor(s), s->fifo ? "" : "  (not real-time)");

    for (k = s->sinks; k; k = k->next) {
        n = append(text, n, "  %-16s %10.6f s  %-10s %8" PRIu64 " cycles", k->child->plan->name,
                   (double)k->time * 1e-9, phase(k), k->account.activations);
        n = charge(k, text, n);
        n = append(text, n, "  %" PRIu64 " overruns\n", k->account.overruns);
    }
    return n;
}

/* Overwrites the lines drawn before. */
static void draw(struct sim_sim *s, const char *text)
{
    const char *c;

    if (s->drawn)
        printf("\033[%uA\033[J", s->drawn);
    s->drawn = 0;
    for (c = text; *c; c++)
        s->drawn += *c == '\n';
    fputs(text, stdout);
    fflush(stdout);
}

void sim_status_show(struct sim_sim *s, bool last)
{
    int64_t wall = monotonic_ns();
    char text[ROOM];
    size_t n;

    if (!last && wall - s->wall_shown < EVERY)
        return;
    s->wall_shown = wall;
    n = lines(s, text);
    ach_put(&s->status, text, n);
    if (s->screen)
        draw(s, text);
}

/* The error in percent is relative to the length of the run. */
static void costs(const struct sim_sim *s, const struct sim_child *c, FILE *out)
{
    const struct sim_account *a = &c->account;
    int64_t error = a->granted - a->used;

    switch (c->plan->model) {
    case SIM_COST_MEASURED:
        fprintf(out, ", cpu %.6f s, granted %.6f s, error %+.6f s (%+.5f %%)",
                (double)a->used * 1e-9, (double)a->granted * 1e-9, (double)error * 1e-9,
                s->now ? (double)error * 100.0 / (double)s->now : 0.0);
        break;
    case SIM_COST_DECLARED:
        fprintf(out, ", declared cost %.6f s, granted %.6f s", (double)c->plan->cost * 1e-9,
                (double)a->granted * 1e-9);
        break;
    case SIM_COST_FREE:
        fputs(", free of charge", out);
        break;
    }
}

static void blocks(const struct sim_child *c, FILE *out)
{
    const struct sim_account *a = &c->account;

    fprintf(out, ", blocked outside %" PRIu64 " times, ", a->blocks);
    if (c->plan->outside == SIM_OUTSIDE_LEAVE)
        fprintf(out, "left behind for %.6f s", (double)a->left * 1e-9);
    else
        fprintf(out, "charged %.6f s", (double)a->blocked * 1e-9);
}

/* The sums of a controller, over all its threads. */
static void controller(const struct sim_sim *s, size_t i, FILE *out)
{
    const struct sim_child *c = &s->children[i];
    const struct sim_account *a = &c->account;

    fprintf(out, "  %s: %" PRIu64 " cycles", c->plan->name, a->activations);
    costs(s, c, out);
    if (a->overruns)
        fprintf(out, ", %" PRIu64 " overruns, the longest cycle %.3f ms", a->overruns,
                (double)a->worst * 1e-6);
    if (a->suspended)
        fprintf(out, ", suspended %.6f s", (double)a->suspended * 1e-9);
    if (a->blocks)
        blocks(c, out);
    if (a->slices)
        fprintf(out, ", %" PRIu64 " slices, at most %.3f us late", a->slices,
                (double)a->late * 1e-3);
    fputs("\n", out);
}

void sim_status_report(const struct sim_sim *s, FILE *out)
{
    double wall = (double)(monotonic_ns() - s->wall_start - s->wall_still) * 1e-9;
    size_t i;

    fprintf(out,
            "%s: %.6f s in %.3f s of wall time, real-time factor %.4g, %" PRIu64
            " activations, %.0f a second%s\n",
            s->plan->name, (double)s->now * 1e-9, wall, factor(s), s->activations,
            wall > 0 ? (double)s->activations / wall : 0, s->fifo ? "" : ", not real-time");
    for (i = 0; i < s->plan->n_controllers; i++)
        controller(s, i, out);
}
