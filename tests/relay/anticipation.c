/* SPDX-License-Identifier: BSD-3-Clause */
/* anticipation.c - predictions and windows, in simulated time */
#include "anticipation.h"

#include <stdlib.h>

#include "check.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)

/* The largest error of the predictions of n events with a period and a jitter. */
static uint64_t feed(struct achi_pll *p, uint64_t *now, unsigned n, uint64_t period,
                     uint64_t jitter)
{
    uint64_t worst = 0, start = *now;
    unsigned i;

    for (i = 1; i <= n; i++) {
        uint64_t noise = jitter ? (uint64_t)random() % (2 * jitter) : 0;
        uint64_t at = start + i * period + noise - jitter, error;

        error = at > p->next ? at - p->next : p->next - at;
        if (p->next && i > n / 2 && error > worst)
            worst = error;
        achi_pll_event(p, at);
    }
    *now = start + n * period;
    return worst;
}

static void locks(void)
{
    struct achi_pll p = {0};
    uint64_t now = 5 * MS;

    CHECK(achi_pll_next(&p, now) == 0);
    feed(&p, &now, 4, MS, 0);
    CHECK(p.next == 0);
    CHECK(feed(&p, &now, 100, MS, 0) == 0);
    CHECK(achi_pll_next(&p, now) == now + MS);

    /* Noise, and a clock that is 300 millionths faster. */
    CHECK(feed(&p, &now, 2000, MS, 10 * US) < 25 * US);
    CHECK(feed(&p, &now, 2000, MS - 300, 10 * US) < 25 * US);
    CHECK(p.jitter < 10 * US);
}

static void bears_faults(void)
{
    struct achi_pll p = {0};
    uint64_t now = 5 * MS;
    unsigned i;

    feed(&p, &now, 100, MS, 2 * US);
    for (i = 0; i < 100; i++) { /* three come, one is missing, and one comes twice */
        feed(&p, &now, 3, MS, 2 * US);
        achi_pll_event(&p, now + 100 * US);
        now += MS;
    }
    CHECK(p.next != 0);
    CHECK(feed(&p, &now, 200, MS, 2 * US) < 10 * US);

    /* Missing for long: nothing is expected, until it comes again in its phase. */
    CHECK(achi_pll_next(&p, now + 2 * MS) != 0);
    CHECK(achi_pll_next(&p, now + 10 * MS) == 0);
    now += 1000 * MS;
    CHECK(feed(&p, &now, 200, MS, 2 * US) < 10 * US);

    /* Another period. */
    CHECK(feed(&p, &now, 200, 3 * MS, 2 * US) < 10 * US);
    CHECK(p.period > 2.99 * MS && p.period < 3.01 * MS);
}

static void is_not_fooled(void)
{
    struct achi_pll p = {0};
    uint64_t now = 5 * MS;
    unsigned i, locked = 0;

    for (i = 0; i < 10000; i++) {
        now += 1 + (uint64_t)random() % (2 * MS);
        achi_pll_event(&p, now);
        locked += p.next != 0;
    }
    CHECK(locked < 500);
    for (i = 0; i < 100; i++) /* time that stands still, or goes back */
        achi_pll_event(&p, now - i);
    feed(&p, &now, 100, MS, 0);
    CHECK(achi_pll_next(&p, now) == now + MS);
}

static void lock(struct relay_anticipation *a, struct relay_expected *e, uint64_t *now,
                 uint64_t period)
{
    unsigned i;

    for (i = 0; i < 64; i++) {
        *now += period;
        relay_anticipation_event(a, e, *now);
    }
}

static void opens_windows(void)
{
    struct relay_anticipation a;
    struct relay_expected slow = {0}, fast = {0};
    uint64_t now = 1000 * MS;

    relay_anticipation_init(&a, 0);
    lock(&a, &fast, &now, MS);
    CHECK(!relay_anticipation_next(&a, now)); /* off */

    relay_anticipation_init(&a, 0.02);
    CHECK(!relay_anticipation_next(&a, now));
    lock(&a, &slow, &now, 10 * MS);
    CHECK(relay_anticipation_next(&a, now) == &slow);
    CHECK(a.opens < now + 10 * MS && a.opens > now + 9 * MS);
    CHECK(a.closes > now + 10 * MS && a.closes < now + 11 * MS);
    lock(&a, &fast, &now, MS);
    CHECK(relay_anticipation_next(&a, now) == &fast);
    relay_anticipation_forget(&a, &fast);
    CHECK(a.n == 1);
    relay_anticipation_forget(&a, &fast);
    CHECK(a.n == 1);
}

/* Nothing ever comes in a window: in the end the windows took the budget, not more. */
static void keeps_budget(void)
{
    struct relay_anticipation a;
    struct relay_expected e = {0};
    uint64_t now = 1000 * MS, start;
    unsigned i;

    relay_anticipation_init(&a, 0.005);
    lock(&a, &e, &now, MS);
    start = now;
    for (i = 0; i < 10000; i++) {
        if (relay_anticipation_next(&a, now)) {
            uint64_t t = a.opens;

            relay_anticipation_begin(&a, t);
            while (relay_anticipation_continue(&a, t))
                t += US;
            relay_anticipation_end(&a, t, false);
        }
        now += MS;
        relay_anticipation_event(&a, &e, now);
    }
    CHECK(a.windows > 1000);
    CHECK(a.hits == 0);
    CHECK(a.spent < (now - start) / 200 + 6 * MS);
    CHECK(a.spent > (now - start) / 400);
}

/* Another process has kept the processor: pause, longer each time, until there is a hit. */
static void gives_way(void)
{
    struct relay_anticipation a;
    struct relay_expected e = {0};
    uint64_t now = 1000 * MS;

    relay_anticipation_init(&a, 0.02);
    lock(&a, &e, &now, MS);
    CHECK(relay_anticipation_next(&a, now) == &e);
    relay_anticipation_begin(&a, a.opens);
    CHECK(!relay_anticipation_continue(&a, a.opens + 3 * MS));
    relay_anticipation_end(&a, a.opens + 3 * MS, false);
    CHECK(!relay_anticipation_next(&a, now + 4 * MS));
    now += 200 * MS;
    lock(&a, &e, &now, MS);
    CHECK(relay_anticipation_next(&a, now) == &e);
}

static void lists_some(void)
{
    struct relay_anticipation a;
    struct relay_expected e[40] = {0};
    uint64_t now = 1000 * MS;
    unsigned i;

    relay_anticipation_init(&a, 0.02);
    for (i = 0; i < 40; i++)
        lock(&a, &e[i], &now, MS);
    CHECK(a.n == 16);
    for (i = 0; i < 40; i++)
        relay_anticipation_forget(&a, &e[i]);
    CHECK(a.n == 0 && LIST_EMPTY(&a.list));
}

int main(void)
{
    srandom(1);
    locks();
    bears_faults();
    is_not_fooled();
    opens_windows();
    keeps_budget();
    gives_way();
    lists_some();
    return check_result();
}
