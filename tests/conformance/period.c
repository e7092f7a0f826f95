/* SPDX-License-Identifier: BSD-3-Clause */
/* period.c - ach_period: loops with a steady rate */
#include "conformance.h"

#include <sys/prctl.h>

#define LENGTH_NS 2000000

static void period_arguments(void)
{
    ach_period_t period = {.length = 0};

    CHECK_STATUS(ach_period_init(NULL, LENGTH_NS), ACH_EINVAL);
    CHECK_STATUS(ach_period_init(&period, 0), ACH_EINVAL);
    CHECK_STATUS(ach_period_init(&period, -1), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait(NULL, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait(&period, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait_spin(NULL, 0, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait_spin(&period, 0, NULL), ACH_EINVAL);
    CHECK_OK(ach_period_init(&period, LENGTH_NS));
    CHECK_STATUS(ach_period_wait_spin(&period, LENGTH_NS + 1, NULL), ACH_EINVAL);
}

/* Each period begins a multiple of the length after the first, however late the last one ended. */
static void period_grid(void)
{
    ach_period_t period;
    uint64_t missed, all = 0;
    int64_t first;
    int i;

    CHECK_OK(ach_period_init(&period, LENGTH_NS));
    first = period.next;
    for (i = 0; i < 5; i++) {
        missed = UINT64_MAX;
        CHECK_OK(ach_period_wait(&period, &missed));
        all += missed;
        CHECK(period.next == first + (int64_t)(all + (uint64_t)i + 1) * LENGTH_NS);
        CHECK((int64_t)check_now_ns() >= period.next - LENGTH_NS);
    }
}

/* No period begins too early, and this thread's timers are as precise as before. */
static void period_spin(void)
{
    int slack = prctl(PR_GET_TIMERSLACK);
    ach_period_t period;
    int i;

    CHECK_OK(ach_period_init(&period, LENGTH_NS));
    for (i = 0; i <= 10; i++) {
        CHECK_OK(ach_period_wait_spin(&period, (uint64_t)i * LENGTH_NS / 10, NULL));
        CHECK((int64_t)check_now_ns() >= period.next - LENGTH_NS);
        CHECK(prctl(PR_GET_TIMERSLACK) == slack);
    }
}

static void period_missed(void)
{
    ach_period_t period;
    uint64_t missed = 0;
    int64_t first;

    CHECK_OK(ach_period_init(&period, LENGTH_NS));
    first = period.next;
    check_sleep_ms(10);
    CHECK_OK(ach_period_wait(&period, &missed));
    CHECK(missed >= 4); /* the first was to begin after 2 ms, and 10 ms are over */
    CHECK(period.next == first + (int64_t)(missed + 1) * LENGTH_NS);
    CHECK_OK(ach_period_wait(&period, NULL));
}

static const struct test tests[] = {
    {"period-arguments", period_arguments, ALL, NULL},
    {"period-grid", period_grid, ALL, NULL},
    {"period-spin", period_spin, ALL, NULL},
    {"period-missed", period_missed, ALL, NULL},
};

THEME(period_theme, tests);
