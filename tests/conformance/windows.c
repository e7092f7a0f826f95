/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * windows.c - what a receiver that anticipates gains, and what it pays, in simulated time
 *
 * A sender, a kernel that wakes late, and the receiver's part of wait.c. Nothing here depends on
 * the speed of this machine.
 */
#include "anticipate.h"
#include "check.h"

#define US 1000.0
#define MS 1000000.0
#define SECOND 1e9
#define BUDGET 20000u
#define WAKE_US 12 /* from the message until the receiver runs, if it sleeps */
#define LATE_US 6  /* from the time asked for until the receiver runs */

/* What may be saved up for later, and one window more than the credit allows. */
#define SPARE (5 * MS + 0.2 * MS)

static uint64_t dice = 1;

static double uniform(double most)
{
    return most > 0 ? (double)(check_random(&dice) % 1000000) * most / 1e6 : 0;
}

/* When message n is sent. */
typedef double (*schedule)(unsigned n);

struct result {
    unsigned messages, hits;
    double length, spent, delay; /* delay: the mean, of a receiver that hits at once */
    struct achi_anticipation a;
};

/* The kernel wakes the receiver at `at`: how late? */
static double oversleep(double us)
{
    return us * US * (0.8 + uniform(0.4));
}

static struct result simulate(schedule send, unsigned messages, uint32_t budget, bool stamps)
{
    struct result r = {.messages = messages};
    struct achi_received last = {0};
    double now = SECOND, delays = 0;
    unsigned n;

    achi_anticipate_init(&r.a, budget, false);
    r.a.allowed = true;
    for (n = 0; n < messages; n++) {
        double comes = SECOND + send(n);
        bool there = comes <= now;

        while (!there) {
            double begin = now;

            r.a.checked = (uint64_t)now; /* whatever this machine allows */
            achi_anticipate_plan(&r.a, &last, (uint64_t)now);
            if (achi_anticipate_open(&r.a, (uint64_t)now)) {
                double closes = (double)r.a.closes;

                achi_anticipate_begin(&r.a, (uint64_t)now);
                there = comes < closes;
                now = there ? comes + 0.3 * US : closes;
                achi_anticipate_end(&r.a, (uint64_t)begin, (uint64_t)now, there, false);
                r.hits += there;
                continue;
            }
            begin = (double)achi_anticipate_sleep(&r.a, (uint64_t)now);
            if (begin > 0 && comes > now + begin) {
                now += begin + oversleep(LATE_US);
                there = comes <= now;
            } else {
                now = comes + oversleep(WAKE_US);
                there = true;
            }
            if (there)
                achi_anticipate_woken(&r.a, (uint64_t)now);
        }
        delays += now - comes;
        now += 1 * US;
        last = (struct achi_received){.seq = n + 1, .stamp = stamps ? (uint64_t)comes : 0};
    }
    r.length = now - SECOND;
    r.spent = (double)r.a.spent;
    r.delay = delays / messages;
    printf("%u of %u hit, delay %.1f us, spent %.2f %%, period %.1f us\n", r.hits, messages,
           r.delay / US, 100 * r.spent / r.length, r.a.pll.period / US);
    return r;
}

/* It never costs more than the budget, whatever comes. */
static struct result affordable(schedule send, unsigned messages, bool stamps)
{
    struct result r = simulate(send, messages, BUDGET, stamps);

    CHECK(r.spent <= r.length * BUDGET / ACHI_BUDGET_ONE + SPARE);
    CHECK(r.delay <= 1.2 * WAKE_US * US);
    return r;
}

static double regular(unsigned n)
{
    return n * MS;
}

static double slow(unsigned n)
{
    return n * 100 * MS;
}

static double little_jitter(unsigned n)
{
    return n * MS + uniform(5 * US);
}

static double much_jitter(unsigned n)
{
    return n * MS + uniform(50 * US);
}

static double drifting(unsigned n)
{
    return n * MS * 1.0003;
}

static double lossy(unsigned n)
{
    return (n + n / 10) * MS; /* each eleventh is missing */
}

static void periodic(void)
{
    int stamps;

    for (stamps = 0; stamps < 2; stamps++) {
        CHECK(affordable(regular, 5000, stamps).hits > 4900);
        CHECK(affordable(little_jitter, 5000, stamps).hits > 4900);
        CHECK(affordable(drifting, 5000, stamps).hits > 4900);
        CHECK(affordable(lossy, 5000, stamps).hits > 3500);
        CHECK(affordable(slow, 200, stamps).hits > 180);
        CHECK(affordable(regular, 5000, stamps).delay < 1 * US);
    }
    affordable(much_jitter, 5000, true); /* which the budget does not pay for */
    CHECK(simulate(much_jitter, 5000, 100000, true).hits > 4500);
}

static double random_gaps(unsigned n)
{
    static double at;

    at = n ? at - MS * __builtin_log(uniform(1) + 1e-9) : 0;
    return at;
}

static double bursts(unsigned n)
{
    return (n / 5) * 10 * MS + (n % 5) * 30 * US;
}

/* Each thousand messages have another period. */
static double changing(unsigned n)
{
    static const double periods[] = {1, 2, 1.5, 7, 0.5};
    static double at;

    at = n ? at + periods[n / 1000 % 5] * MS : 0;
    return at;
}

static double two_senders(unsigned n)
{
    return n % 2 ? (n / 2) * MS + 300 * US : (n / 2) * MS;
}

static double two_periods(unsigned n)
{
    return n % 3 == 2 ? (n / 3) * 2 * MS + 1.3 * MS : (n / 3) * 2 * MS + (n % 3) * MS;
}

/* The sender is killed after each hundred messages, and starts after a second. */
static double killed(unsigned n)
{
    return n * MS + n / 100 * SECOND;
}

static void others(void)
{
    int stamps;

    for (stamps = 0; stamps < 2; stamps++) {
        affordable(random_gaps, 20000, stamps);
        CHECK(affordable(bursts, 5000, stamps).hits > 2900);
        CHECK(affordable(changing, 10000, stamps).hits > 8000);
        affordable(two_senders, 10000, stamps);
        affordable(two_periods, 10000, stamps);
        affordable(killed, 5000, stamps);
    }
}

static double hurried(unsigned n)
{
    return n * 20 * US;
}

/* Messages that come at once: the receiver looks for the next one, as long as its budget lasts. */
static void close_together(void)
{
    struct result r = affordable(hurried, 100000, true);

    CHECK(r.hits > 4000);
    r = simulate(hurried, 100000, ACHI_BUDGET_ONE, true);
    CHECK(r.hits > 90000);
}

/* Others raise the flag again: it is left up for more and more windows, until nobody does. */
static void lowering(void)
{
    static const unsigned skipped[] = {0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 1023};
    struct achi_anticipation a;
    unsigned i, n;

    achi_anticipate_init(&a, BUDGET, false);
    CHECK(!achi_anticipate_lowers(&a));
    a.hits = 100;
    for (i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++) {
        for (n = 0; !achi_anticipate_lowers(&a); n++)
            CHECK(n < 2000);
        CHECK(n == skipped[i]);
        achi_anticipate_lowered(&a, true);
    }
    achi_anticipate_lowered(&a, false);
    CHECK(achi_anticipate_lowers(&a) && achi_anticipate_lowers(&a));
}

int main(void)
{
    lowering();
    periodic();
    others();
    close_together();
    return check_result();
}
