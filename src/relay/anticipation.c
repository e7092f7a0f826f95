/* SPDX-License-Identifier: BSD-3-Clause */
#include "anticipation.h"

#include <sched.h>
#include <sys/prctl.h>

#include "clock.h"

/* Flows beyond that are not anticipated. */
#define FLOWS_MAX 16u

/* Half of a window: some times the jitter, and a little more. */
#define JITTERS 4.0
#define MARGIN_NS 5000.0
#define HALF_MAX_NS 100000.0

/* A window that takes more of a period than that is not worth it. */
#define SHARE_MAX 0.25

#define CREDIT_MAX_NS 5e6
#define CHECK_NS 1000000000u
#define LATE_FIRST_NS 20000u
#define LATE_MAX_NS 200000u

/* Between two looks another process has run. */
#define TAKEN_NS 200000u

void relay_anticipation_init(struct relay_anticipation *a, double budget)
{
    *a = (struct relay_anticipation){.budget = budget, .late = LATE_FIRST_NS};
    LIST_INIT(&a->list);
    if (budget > 0)
        prctl(PR_SET_TIMERSLACK, 1);
}

/* Under a real-time policy, processes of lower priority could not run in a window. */
static bool is_allowed(struct relay_anticipation *a, uint64_t now)
{
    int policy;

    if (a->checked && now - a->checked < CHECK_NS)
        return a->allowed;
    policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    a->allowed = policy == SCHED_OTHER || policy == SCHED_BATCH;
    a->checked = now;
    return a->allowed;
}

void relay_anticipation_event(struct relay_anticipation *a, struct relay_expected *e, uint64_t when)
{
    if (a->budget <= 0)
        return;
    if (!when)
        when = relay_clock_now() - (a->awake ? 0 : a->late);
    achi_pll_event(&e->pll, when);
    if (e->pll.next && !e->listed && a->n < FLOWS_MAX) {
        LIST_INSERT_HEAD(&a->list, e, entry);
        e->listed = true;
        a->n++;
    } else if (!e->pll.next && e->listed) {
        relay_anticipation_forget(a, e);
    }
}

void relay_anticipation_forget(struct relay_anticipation *a, struct relay_expected *e)
{
    if (e->listed) {
        LIST_REMOVE(e, entry);
        a->n--;
        a->awake = false;
    }
    e->listed = false;
    e->pll = (struct achi_pll){0};
}

static void add_credit(struct relay_anticipation *a, uint64_t now)
{
    a->credit += (double)(now - a->credited) * a->budget;
    a->credited = now;
    if (a->credit > CREDIT_MAX_NS)
        a->credit = CREDIT_MAX_NS;
}

/* 0: too wide. */
static double half_window(const struct achi_pll *p)
{
    double half = JITTERS * p->jitter + MARGIN_NS;

    return half > HALF_MAX_NS || 2 * half > SHARE_MAX * p->period ? 0 : half;
}

struct relay_expected *relay_anticipation_next(struct relay_anticipation *a, uint64_t now)
{
    struct relay_expected *e, *first = NULL;
    uint64_t soonest = UINT64_MAX;

    a->awake = false;
    if (LIST_EMPTY(&a->list) || now < a->not_before || !is_allowed(a, now))
        return NULL;
    add_credit(a, now);
    if (a->credit <= 0)
        return NULL;
    LIST_FOREACH(e, &a->list, entry)
    {
        uint64_t half = (uint64_t)half_window(&e->pll), next = achi_pll_next(&e->pll, now);

        if (!half || !next || next >= soonest)
            continue;
        soonest = next;
        first = e;
        a->opens = next - half - a->late;
        a->closes = next + half;
        a->sleeps = a->opens > now;
    }
    return first;
}

void relay_anticipation_begin(struct relay_anticipation *a, uint64_t now)
{
    uint64_t late = now > a->opens ? now - a->opens : 0;

    if (late > LATE_MAX_NS)
        late = LATE_MAX_NS;
    if (a->sleeps)
        a->late = (a->late * 15 + late) / 16;
    a->began = a->looked = now;
    a->windows++;
}

bool relay_anticipation_continue(struct relay_anticipation *a, uint64_t now)
{
    if (now - a->looked > TAKEN_NS) {
        a->pause = relay_clock_pause(a->pause);
        a->not_before = now + a->pause;
        return false;
    }
    a->looked = now;
    return now < a->closes;
}

void relay_anticipation_end(struct relay_anticipation *a, uint64_t now, bool hit)
{
    a->spent += now - a->began;
    a->credit -= (double)(now - a->began);
    a->awake = hit;
    a->hits += hit;
    if (hit)
        a->pause = 0;
}
