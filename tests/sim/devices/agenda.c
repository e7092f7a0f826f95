/* SPDX-License-Identifier: BSD-3-Clause */
/* agenda.c - items come in the order of their times, and sample times are exact */
#include "sim/devices/agenda.h"

#include <math.h>

#include "check.h"
#include "sim/devices/rate.h"

#define ITEMS 500

static bool in_order(const struct simd_agenda_item *a, const struct simd_agenda_item *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->rank != b->rank ? a->rank < b->rank : a->serial < b->serial;
}

/* Add and remove items at random; then all come out in order. */
static void heap(void)
{
    static struct simd_agenda_item items[ITEMS];
    struct simd_agenda a = {0};
    struct simd_agenda_item *last = NULL, *first;
    uint64_t random = 1;
    size_t i, in = 0, out = 0;

    CHECK(simd_agenda_first(&a) == NULL);
    for (i = 0; i < check_scale(100000); i++) {
        struct simd_agenda_item *it = &items[check_random(&random) % ITEMS];

        if (it->place) {
            simd_agenda_remove(&a, it);
            in--;
        } else {
            it->rank = check_random(&random) % 3;
            CHECK_OK(simd_agenda_add(&a, it, (int64_t)(check_random(&random) % 100)));
            in++;
        }
        CHECK(a.count == in);
    }
    while ((first = simd_agenda_first(&a))) {
        CHECK(!last || in_order(last, first));
        last = first;
        simd_agenda_remove(&a, first);
        simd_agenda_remove(&a, first);
        out++;
    }
    CHECK(out == in);
    simd_agenda_finish(&a);
}

static void near(const struct simd_rate *r, double hertz, uint64_t k)
{
    long double exact = (long double)k * 1e9L / (long double)hertz;
    int64_t t = simd_rate_time(r, k);

    if (fabsl((long double)t - exact) > 0.5L + exact * 1e-15L) {
        fprintf(stderr, "%g Hz: sample %llu is at %lld ns\n", hertz, (unsigned long long)k,
                (long long)t);
        CHECK(!"a sample is at its time");
    }
    CHECK(simd_rate_first(r, t) == k);
    CHECK(simd_rate_first(r, t + 1) == k + 1);
}

/* Exact after years, too, and at rates whose period is no whole number of nanoseconds. */
static void rates(void)
{
    static const double all[] = {0.001, 0.5,  1,      3,    7,     29.97,  30, 100,
                                 999,   1000, 3999.9, 4000, 44100, 999983, 1e6};
    static const uint64_t ks[] = {0, 1, 2, 3, 10, 999, 1000, 12345, 1000000, 123456789};
    struct simd_rate r;
    size_t i, j;

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        CHECK(simd_rate_set(&r, all[i]));
        for (j = 0; j < sizeof(ks) / sizeof(ks[0]) && (double)ks[j] / all[i] < 1e8; j++)
            near(&r, all[i], ks[j]);
    }
    CHECK(simd_rate_set(&r, 3));
    CHECK(simd_rate_time(&r, 1) == 333333333 && simd_rate_time(&r, 2) == 666666667);
    CHECK(simd_rate_time(&r, 3000000000u) == INT64_C(1000000000000000000));
    CHECK(!simd_rate_set(&r, 0) && !simd_rate_set(&r, -1) && !simd_rate_set(&r, 2e6));
    CHECK(!simd_rate_set(&r, (double)NAN) && !simd_rate_set(&r, (double)INFINITY));
}

int main(void)
{
    heap();
    rates();
    return check_result();
}
