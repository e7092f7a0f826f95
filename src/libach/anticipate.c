/* SPDX-License-Identifier: BSD-3-Clause */
#include "anticipate.h"

#include <sched.h>
#include <time.h>

#include "clock.h"

/* The least that a window needs before the message, beside the jitter of both sides. */
#define MARGIN_NS 2000.0
#define JITTERS 3.0
#define LEAD_MAX_NS 100000.0

/* Under a real-time policy a window keeps others from the processor. */
#define FORCED_MAX_NS 25000.0

/* A window costs a part of what the budget allows; the rest is for what comes late. */
#define SHARE 0.8

/* A window that nothing comes in costs a sleep more. */
#define VAIN_NS 3000.0

#define CREDIT_MAX_NS 5e6
#define CHECK_NS 1000000000u
#define LATE_FIRST_NS 10000.0
#define LATE_MAX_NS 200000u
#define STAMP_MAX_NS 1000000000u
#define PAUSE_FIRST_NS 10000000u
#define PAUSE_MAX_NS 1000000000u

/* After a smaller gap the receiver looks for the next message for two such gaps, period or not. */
#define GAP_MAX_NS 50000u

/* If fewer windows have a message, there is none for a while. */
#define HIT_RATE_MIN 0.3
#define HIT_RATE_AGAIN 0.6
#define GAIN 0.125

/* Only a receiver that is mostly right lowers the flag: others sleep on both words for it. */
#define LOWER_HITS 16
#define LOWER_HIT_RATE 0.8

/* The most windows in which the flag stays up because others raise it. */
#define SKIP_MAX 1023u

/* Another clock than the kernel's is a simulation's. */
#define CLOCKS_DIFFER_NS 1000000000

void achi_anticipate_init(struct achi_anticipation *a, uint32_t budget, bool forced)
{
    *a = (struct achi_anticipation){.budget = (double)budget / ACHI_BUDGET_ONE,
                                    .forced = forced,
                                    .late = LATE_FIRST_NS,
                                    .hit_rate = 1};
}

/* Time that the kernel does not know passes for others only while this process sleeps. */
static bool clock_is_real(void)
{
    struct timespec here, kernel;

    achi_kernel_now(CLOCK_MONOTONIC, &kernel);
    clock_gettime(CLOCK_MONOTONIC, &here);
    return achi_time_until(&here, &kernel) < CLOCKS_DIFFER_NS &&
           achi_time_until(&kernel, &here) < CLOCKS_DIFFER_NS;
}

/* On one processor, or under a real-time policy, the sender may be unable to run in a window. */
static bool find_allowed(const struct achi_anticipation *a)
{
    int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
    cpu_set_t set;

    if (!clock_is_real())
        return false;
    if (a->forced)
        return true;
    if (sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) < 2)
        return false;
    return policy == SCHED_OTHER || policy == SCHED_BATCH;
}

/* May there be windows now? Found out once a second. */
static bool is_allowed(struct achi_anticipation *a, uint64_t now)
{
    if (!a->checked || now - a->checked > CHECK_NS) {
        a->allowed = find_allowed(a);
        a->checked = now;
    }
    return a->allowed;
}

static void learn(struct achi_anticipation *a, const struct achi_received *last, uint64_t now)
{
    uint64_t when = a->came;

    if (last->seq == a->learnt)
        return;
    if (last->stamp && last->stamp <= now && now - last->stamp < STAMP_MAX_NS)
        when = last->stamp;
    if (when) {
        a->gap = when > a->pll.last ? when - a->pll.last : 0;
        achi_pll_event(&a->pll, when);
    }
    a->learnt = last->seq;
    a->came = 0;
}

static void add_credit(struct achi_anticipation *a, uint64_t now)
{
    if (a->credited)
        a->credit += (double)(now - a->credited) * a->budget;
    a->credited = now;
    if (a->credit > CREDIT_MAX_NS)
        a->credit = CREDIT_MAX_NS;
}

/* The root of the sum of two squares, nearly: both errors are seldom large at once. */
static double together(double a, double b)
{
    return a > b ? a + b / 2 : b + a / 2;
}

/* How long before the message the window opens. 0: the jitter is larger than the budget. */
static double lead_of(const struct achi_anticipation *a)
{
    double afford = a->budget * a->pll.period * SHARE;
    double needed = together(a->pll.jitter, a->late_more) + MARGIN_NS;

    if (needed > afford)
        return 0;
    if (afford > LEAD_MAX_NS)
        afford = LEAD_MAX_NS > needed * JITTERS ? LEAD_MAX_NS : needed * JITTERS;
    return a->forced && afford > FORCED_MAX_NS ? FORCED_MAX_NS : afford;
}

static void plan_period(struct achi_anticipation *a, uint64_t now)
{
    double lead = lead_of(a), tail = JITTERS * a->pll.jitter + MARGIN_NS;
    uint64_t tails = (uint64_t)(tail < lead ? tail : lead), late = (uint64_t)a->late;
    uint64_t next = achi_pll_next(&a->pll, now - tails);

    if (lead <= 0 || !next)
        return;
    a->opens = next - (uint64_t)lead - late;
    a->closes = next + tails;
}

void achi_anticipate_plan(struct achi_anticipation *a, const struct achi_received *last,
                          uint64_t now)
{
    learn(a, last, now);
    add_credit(a, now);
    a->opens = a->closes = 0;
    if (now < a->not_before || a->credit <= 0 || !is_allowed(a, now))
        return;
    plan_period(a, now);
    if (!a->closes && a->gap && a->gap < GAP_MAX_NS && 2 * (double)a->gap <= a->credit) {
        a->opens = now;
        a->closes = now + 2 * a->gap;
    }
}

bool achi_anticipate_open(const struct achi_anticipation *a, uint64_t now)
{
    return now >= a->opens && now < a->closes;
}

/* How well the kernel keeps the time of a sleep. */
static void learn_late(struct achi_anticipation *a, uint64_t late)
{
    double error = (double)(late < LATE_MAX_NS ? late : LATE_MAX_NS) - a->late;

    a->late += error * GAIN;
    a->late_more += ((error < 0 ? -error : error) - a->late_more) * GAIN;
}

void achi_anticipate_begin(struct achi_anticipation *a, uint64_t now)
{
    if (a->asked && now >= a->asked)
        learn_late(a, now - a->asked);
    a->asked = 0;
    a->windows++;
    a->window = a->closes - now;
}

bool achi_anticipate_lowers(struct achi_anticipation *a)
{
    if (a->hits < LOWER_HITS || a->hit_rate < LOWER_HIT_RATE)
        return false;
    if (a->skipped < a->skip) {
        a->skipped++;
        return false;
    }
    return true;
}

void achi_anticipate_lowered(struct achi_anticipation *a, bool raised)
{
    a->skip = !raised ? 0 : a->skip < SKIP_MAX ? 2 * a->skip + 1 : SKIP_MAX;
    a->skipped = 0;
}

static void rest(struct achi_anticipation *a, uint64_t now)
{
    a->pause = a->pause < PAUSE_FIRST_NS     ? PAUSE_FIRST_NS
               : a->pause > PAUSE_MAX_NS / 2 ? PAUSE_MAX_NS
                                             : a->pause * 2;
    a->not_before = now + a->pause;
    a->hit_rate = HIT_RATE_AGAIN;
}

void achi_anticipate_end(struct achi_anticipation *a, uint64_t begin, uint64_t end, bool hit,
                         bool taken)
{
    a->spent += end - begin;
    a->credit -= (double)(end - begin) + (hit ? 0 : VAIN_NS);
    a->hits += hit;
    a->hit_rate += ((hit ? 1 : 0) - a->hit_rate) * GAIN;
    if (hit)
        a->came = end;
    else
        a->gap = 0;
    if (taken || a->hit_rate < HIT_RATE_MIN)
        rest(a, end);
    else if (a->hit_rate > 1 - HIT_RATE_MIN)
        a->pause = 0;
}

uint64_t achi_anticipate_sleep(struct achi_anticipation *a, uint64_t now)
{
    a->asked = a->opens > now ? a->opens : 0;
    return a->asked ? a->opens - now : 0;
}

void achi_anticipate_woken(struct achi_anticipation *a, uint64_t now)
{
    a->asked = 0;
    a->came = now - (uint64_t)a->late;
}
