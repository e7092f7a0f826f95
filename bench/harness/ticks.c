/* SPDX-License-Identifier: BSD-3-Clause */
#include "ticks.h"

#include "bench.h"

#define CALIBRATE_NS 20000000u
#define FINE_NS 2.0
#define COARSE_GROUP 32u

static double ns_per_tick = 1;
static double overhead_ns;

static double learn_rate(void)
{
#if defined(__aarch64__)
    uint64_t hz;

    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return 1e9 / (double)hz;
#else
    uint64_t c0 = clock_ns(), t0 = ticks(), c1, t1;

    do {
        c1 = clock_ns();
        t1 = ticks();
    } while (c1 - c0 < CALIBRATE_NS);
    return (double)(c1 - c0) / (double)(t1 - t0);
#endif
}

/*
 * The mean of a few readings in a row, for counters coarser than one reading.
 * The least disturbed of them: subtracting too much would hide what is measured.
 */
static double learn_overhead(void)
{
    struct samples s = {0};
    double quiet;
    int i, j;

    for (i = 0; i < 4000; i++) {
        uint64_t start = ticks(), now = start;

        for (j = 0; j < 100; j++)
            now = ticks();
        samples_add(&s, (double)(now - start) / 100);
    }
    quiet = samples_quantile(&s, 0.02);
    samples_finish(&s);
    return quiet * ns_per_tick;
}

void ticks_init(void)
{
    ns_per_tick = learn_rate();
    overhead_ns = learn_overhead();
}

double ticks_to_ns(uint64_t start, uint64_t now)
{
    double ns = (double)(now - start) * ns_per_tick - overhead_ns;

    return ns > 0 ? ns : 0;
}

void ticks_pause(double ns)
{
    uint64_t start = ticks();

    while ((double)(ticks() - start) * ns_per_tick < ns)
        relax();
}

unsigned ticks_group(void)
{
    return ns_per_tick <= FINE_NS ? 1 : COARSE_GROUP;
}

void ticks_print(void)
{
    printf("counter   %.2f ns per tick, reading costs %.1f ns (subtracted), %u operations timed "
           "together for p99\n",
           ns_per_tick, overhead_ns, ticks_group());
}
