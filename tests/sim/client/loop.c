/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * loop - an ordinary program: it sleeps until the next period and reads the clocks
 *
 * Knows nothing of simulations. It fails if the rate is not kept, or clocks disagree.
 */
#include <check.h>
#include <sys/time.h>

#define PERIOD_NS 1000000

static int64_t now(clockid_t clock)
{
    struct timespec t;

    CHECK(clock_gettime(clock, &t) == 0);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

int main(int argc, char **argv)
{
    int i, cycles = argc > 1 ? atoi(argv[1]) : 100;
    int64_t late_max = argc > 2 ? (int64_t)check_time(strtoull(argv[2], NULL, 10)) : 0;
    int64_t start = now(CLOCK_MONOTONIC), next = start, worst = 0;

    for (i = 0; i < cycles; i++) {
        struct timespec t;
        int64_t late;

        next += PERIOD_NS;
        t = (struct timespec){.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000};
        CHECK(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == 0);
        late = now(CLOCK_MONOTONIC) - next;
        CHECK(late >= 0);
        worst = late > worst ? late : worst;
    }
    CHECK(worst <= late_max);
    printf("worst %lld ns\n", (long long)worst);
    CHECK(llabs(now(CLOCK_REALTIME) / 1000000000 - (long long)time(NULL)) <= 1);
    CHECK(now(CLOCK_BOOTTIME) >= start + (int64_t)cycles * PERIOD_NS);
    return check_result();
}
