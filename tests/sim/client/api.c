/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api - include/ach/sim.h: the same program with and without a simulation
 *
 * Its argument names the cost model, which decides what time the checks expect.
 */
#include <ach/sim.h>
#include <check.h>

#define MS 1000000ll

static int64_t cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void burn(int64_t ns)
{
    int64_t end = cpu() + ns;

    while (cpu() < end)
        ;
}

static void arguments(void)
{
    ach_period_t p;

    CHECK_STATUS(ach_period_init(NULL, 1), ACH_EINVAL);
    CHECK_STATUS(ach_period_init(&p, 0), ACH_EINVAL);
    CHECK_STATUS(ach_period_wait(NULL, NULL), ACH_EINVAL);
}

/* Time moves with waiting, and stands still otherwise. */
static void exact(int64_t cost)
{
    ach_period_t p;
    uint64_t missed;
    int64_t start = ach_sim_now();
    int i;

    CHECK_OK(ach_sim_sleep_until(start + 5 * MS));
    CHECK(ach_sim_now() == start + 5 * MS);
    CHECK_OK(ach_period_init(&p, MS));
    burn(3 * MS);
    for (i = 1; i <= 100; i++) {
        CHECK_OK(ach_period_wait(&p, &missed));
        CHECK(missed == 0 && ach_sim_now() == start + (5 + i) * MS);
    }
    start = ach_sim_now();
    CHECK_OK(ach_sim_sleep_until(0));
    CHECK(ach_sim_now() == start + cost);
    CHECK_OK(ach_sim_sleep_until(start + 10 * MS + MS / 2));
    CHECK_OK(ach_period_wait(&p, &missed));
    CHECK(missed == 10 && ach_sim_now() == start + 11 * MS);
}

/* Tolerance for the CPU time of the calls themselves. */
static int64_t slack(int64_t ns)
{
    return (int64_t)check_time((uint64_t)ns);
}

/* Time moves with the CPU time that the thread uses. */
static void measured(void)
{
    int64_t start = ach_sim_now(), used = cpu(), took;
    ach_period_t p;
    uint64_t missed;
    int i;

    burn(30 * MS);
    took = ach_sim_now() - start;
    used = cpu() - used;
    printf("used %lld ns, virtual %lld ns\n", (long long)used, (long long)took);
    CHECK(took >= 29 * MS && llabs(took - used) < slack(MS / 2));
    for (i = 0; i < 300000; i++) /* reading the clock is free, and gives no credit */
        ach_sim_now();
    start = ach_sim_now();
    burn(5 * MS);
    took = ach_sim_now() - start;
    CHECK(took >= 4 * MS && took < 5 * MS + slack(2 * MS));
    start = ach_sim_now();
    CHECK_OK(ach_period_init(&p, MS));
    for (i = 0; i < 100; i++)
        CHECK_OK(ach_period_wait(&p, NULL));
    took = ach_sim_now() - start;
    CHECK(took >= 100 * MS && took < 100 * MS + slack(10 * MS));
    burn(5 * MS);
    CHECK_OK(ach_period_wait(&p, &missed));
    CHECK(missed >= 4);
}

/* No simulation: CLOCK_MONOTONIC. */
static void real(void)
{
    int64_t start = (int64_t)check_now_ns(), now = ach_sim_now();
    ach_period_t p;
    uint64_t missed;

    CHECK(now >= start && now <= (int64_t)check_now_ns());
    CHECK_OK(ach_sim_sleep_until(now + 2 * MS));
    CHECK(ach_sim_now() >= now + 2 * MS);
    CHECK_OK(ach_period_init(&p, MS));
    CHECK_OK(ach_period_wait(&p, &missed));
    check_sleep_ms(5);
    CHECK_OK(ach_period_wait(&p, &missed));
    CHECK(missed >= 4);
}

int main(int argc, char **argv)
{
    const char *model = argc > 1 ? argv[1] : "none";

    CHECK(ach_sim_active() == (strcmp(model, "none") != 0));
    arguments();
    if (strcmp(model, "none") == 0)
        real();
    else if (strcmp(model, "measured") == 0)
        measured();
    else
        exact(argc > 2 ? atoll(argv[2]) : 0);
    return check_result();
}
