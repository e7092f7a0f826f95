/* SPDX-License-Identifier: BSD-3-Clause */
#include "pll.h"

#define GOOD_NEEDED 8u
#define BAD_MAX 8u
#define MISSING_MAX 4

/* An event fits if it differs from the prediction by at most this part of a period. */
#define FIT 0.125

/* The parts of an error by which phase, period and jitter change. */
#define GAIN_PHASE 0.25
#define GAIN_PERIOD 0.02
#define GAIN_JITTER 0.0625

static double distance(double error)
{
    return error < 0 ? -error : error;
}

/* Two gaps in a row are of one length: a period may have begun. */
static void pll_acquire(struct achi_pll *p, uint64_t when)
{
    double gap = (double)(when - p->last), error = gap - p->period;

    p->last = when;
    if (distance(error) > FIT * p->period) {
        p->period = gap;
        p->good = 0;
        return;
    }
    p->period += error * GAIN_PHASE;
    p->jitter = p->good ? p->jitter + (distance(error) - p->jitter) * GAIN_PHASE : distance(error);
    if (++p->good < GOOD_NEEDED)
        return;
    p->next = when + (uint64_t)p->period;
    p->bad = 0;
}

/* Too many: find another period. */
static void pll_misfit(struct achi_pll *p)
{
    if (++p->bad < BAD_MAX)
        return;
    p->next = 0;
    p->good = 0;
}

void achi_pll_event(struct achi_pll *p, uint64_t when)
{
    double error, missing = 0;

    if (!p->last || when <= p->last) {
        p->last = p->last ? p->last : when;
        return;
    }
    if (!p->next) {
        pll_acquire(p, when);
        return;
    }
    error = (double)(int64_t)(when - p->next);
    if (error > 0)
        missing = (double)(uint64_t)(error / p->period + 0.5);
    error -= missing * p->period;
    p->last = when;
    if (distance(error) > FIT * p->period) {
        pll_misfit(p);
        return;
    }
    p->jitter += (distance(error) - p->jitter) * GAIN_JITTER;
    p->next += (uint64_t)((missing + 1) * p->period + error * GAIN_PHASE);
    p->period += error * GAIN_PERIOD / (missing + 1);
    if (missing > 0)
        pll_misfit(p);
    else
        p->bad /= 2;
}

uint64_t achi_pll_next(const struct achi_pll *p, uint64_t now)
{
    double missing;

    if (!p->next || p->next > now)
        return p->next;
    missing = (double)(uint64_t)((double)(now - p->next) / p->period) + 1;
    return missing > MISSING_MAX ? 0 : p->next + (uint64_t)(missing * p->period);
}
