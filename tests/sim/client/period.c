/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * period.c - the periods of libach, in a program that links nothing else
 *
 * With an argument it runs in a simulation where only sleeping takes time.
 */
#include <check.h>

#define MS 1000000ll

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
    const struct timespec long_work = {.tv_nsec = 10 * MS + MS / 2};
    bool exact = argc > 1;
    int64_t start = now();
    ach_period_t p;
    uint64_t missed;
    int i;

    (void)argv;
    CHECK_STATUS(ach_period_init(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_period_init(&p, 0), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait(NULL, NULL), ACH_EINVAL);
    CHECK_OK(ach_period_init(&p, MS));
    for (i = 1; i <= 20; i++) {
        CHECK_OK(ach_period_wait(&p, &missed));
        CHECK(now() >= start + i * MS);
        if (exact)
            CHECK(missed == 0 && now() == start + i * MS);
    }
    CHECK_STATUS(ach_period_wait_spin(NULL, 0, NULL), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait_spin(&p, MS + 1, NULL), ACH_EINVAL);
    for (i = 0; i <= 10; i++) {
        CHECK_OK(ach_period_wait_spin(&p, (uint64_t)(i * MS / 10), &missed));
        CHECK(now() >= p.next - MS);
        if (exact)
            CHECK(missed == 0 && now() == p.next - MS);
    }
    start = now();
    nanosleep(&long_work, NULL);
    CHECK_OK(ach_period_wait(&p, &missed));
    CHECK(missed >= 10 && now() >= start + 10 * MS);
    if (exact)
        CHECK(missed == 10 && now() == start + 11 * MS);
    return check_result();
}
