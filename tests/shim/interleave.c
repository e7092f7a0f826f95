/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * interleave.c - random runs, and all runs of short plans
 *
 * usage: interleave random|crash|wrap [COUNT [FIRST_SEED]]
 *        interleave exhaustive|exhaustive-crash [PREEMPTIONS [KILLS]]
 *
 * A failing random run prints its seed: run it again with COUNT 1 and the seed.
 */
#include <check.h>

#include "chan.h"
#include "oracle.h"
#include "play.h"
#include "policy.h"
#include "scenarios.h"

struct mode {
    const char *name;
    int kills;
    bool wrap;
    uint64_t count;
};

static const struct mode modes[] = {
    {"random", 0, false, 40000},
    {"crash", 2, false, 40000},
    {"wrap", 1, true, 20000},
};

static void report(const struct plan *plan)
{
    fprintf(stderr, "failed: %s\n", oracle_reason());
    plan_print(plan);
    sched_print_log();
    check_failures++;
}

static void random_run(const struct mode *m, uint64_t seed, uint64_t *steps)
{
    uint64_t random = seed;
    struct random_policy policy;
    struct play_options options = {0};
    struct plan plan;

    plan_random(&plan, &random, m->wrap);
    options.impatient = check_random(&random) % 8 == 0;
    random_policy_init(&policy, &random, m->kills, options.impatient);
    if (!play(&plan, &policy.policy, &options)) {
        fprintf(stderr, "seed %llu: interleave %s 1 %llu\n", (unsigned long long)seed, m->name,
                (unsigned long long)seed);
        report(&plan);
    }
    *steps += sched_steps();
}

/* The random runs together must have taken every step, else some code was not tested. */
static void check_reach(void)
{
    int i;

    for (i = 0; i < SHIM_STEPS; i++) {
        if (i == WAIT_SPIN || sched_taken((enum shim_step)i))
            continue;
        fprintf(stderr, "no run took the step %s\n", shim_step_name((enum shim_step)i));
        check_failures++;
    }
}

static void random_runs(const struct mode *m, uint64_t count, uint64_t seed)
{
    uint64_t steps = 0;
    uint64_t i;

    for (i = 0; i < count && check_failures < 3; i++)
        random_run(m, seed + i, &steps);
    if (i >= 5000)
        check_reach();
    printf("%s: %llu runs, %llu steps, seeds from %llu\n", m->name, (unsigned long long)i,
           (unsigned long long)steps, (unsigned long long)seed);
}

static void all_runs(const struct plan *plan, int preemptions, int kills)
{
    static struct exhaustive_policy policy;
    struct play_options options = {0};
    uint64_t runs = 0;
    bool ok;

    exhaustive_policy_init(&policy, preemptions, kills);
    do {
        ok = play(plan, &policy.policy, &options);
        runs++;
    } while (ok && exhaustive_policy_next(&policy));
    if (!ok)
        report(plan);
    printf("%s: %llu runs with at most %d preemptions and %d kills\n", plan->name,
           (unsigned long long)runs, preemptions, kills);
}

static int usage(void)
{
    fprintf(stderr, "usage: interleave random|crash|wrap [COUNT [FIRST_SEED]]\n"
                    "       interleave exhaustive|exhaustive-crash [PREEMPTIONS [KILLS]]\n");
    return 2;
}

/* ACH_TEST_SCALE above 100 allows one more preemption and takes minutes; below 50, one less. */
static int exhaustive(int argc, char **argv)
{
    int kills = strcmp(argv[1], "exhaustive-crash") == 0;
    uint64_t percent = check_scale(100);
    int preemptions = 2 - kills + (percent > 100) - (percent < 50);
    size_t i;

    if (argc > 2)
        preemptions = atoi(argv[2]);
    if (argc > 3)
        kills = atoi(argv[3]);
    for (i = 0; i < scenarios_n; i++)
        all_runs(&scenarios[i], preemptions, kills);
    return check_result();
}

int main(int argc, char **argv)
{
    size_t i;

    if (argc < 2)
        return usage();
    if (strncmp(argv[1], "exhaustive", 10) == 0)
        return exhaustive(argc, argv);
    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(argv[1], modes[i].name) != 0)
            continue;
        random_runs(&modes[i], argc > 2 ? strtoull(argv[2], NULL, 10) : check_scale(modes[i].count),
                    argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
        return check_result();
    }
    return usage();
}
