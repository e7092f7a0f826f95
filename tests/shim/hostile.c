/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile.c - a hostile process rewrites the channel's memory while others use it (G9)
 *
 * usage: hostile [COUNT [FIRST_SEED]]
 *
 * Between any two steps a word may change to a harmful value. No actor may then
 * access memory outside the channel, take more steps than the bound, or return
 * a status that is not documented.
 */
#include <check.h>

#include "chan.h"
#include "oracle.h"
#include "play.h"
#include "policy.h"

static uint64_t dice;
static unsigned rewrites; /* left in this run; after the last, all actors must come to rest */
static unsigned rate;     /* one step in this many is preceded by a rewrite */

static uint64_t nasty_value(uint64_t old)
{
    uint64_t small = check_random(&dice) % 4;

    switch (check_random(&dice) % 12) {
    case 0:
        return small;
    case 1:
        return UINT64_MAX - small;
    case 2:
        return (1ull << 63) - 2 + small;
    case 3:
        return chan_view.data_size - 2 + small;
    case 4:
        return (chan_view.data_size - 2 + small) | ACHI_INLINE;
    case 5:
        return chan_view.capacity - 1 + small;
    case 6:
        return ACHI_INLINE_MAX - 1 + small;
    case 7:
        return *chan_random_word(check_random(&dice));
    case 8:
        return old - 2 + small;
    case 9:
        return old ^ 1ull << check_random(&dice) % 64;
    case 10:
        return check_random(&dice) % (2 * chan_view.data_size);
    default:
        return check_random(&dice);
    }
}

static void meddle(void)
{
    uint64_t *word;

    if (!rewrites || check_random(&dice) % rate)
        return;
    rewrites--;
    word = chan_random_word(check_random(&dice));
    *word = nasty_value(*word);
}

static void run(uint64_t seed)
{
    static const struct play_options options = {.hostile = true, .meddle = meddle};
    uint64_t random = seed;
    struct random_policy policy;
    struct plan plan;

    dice = seed * 31 + 7;
    rewrites = 1 + (unsigned)(check_random(&dice) % 64);
    rate = 1 + (unsigned)(check_random(&dice) % 40);
    plan_random(&plan, &random, false);
    random_policy_init(&policy, &random, 1, true);
    if (play(&plan, &policy.policy, &options))
        return;
    fprintf(stderr, "seed %llu: hostile 1 %llu\nfailed: %s\n", (unsigned long long)seed,
            (unsigned long long)seed, oracle_reason());
    plan_print(&plan);
    sched_print_log();
    check_failures++;
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : check_scale(100000);
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t i;

    for (i = 0; i < count && check_failures < 3; i++)
        run(seed + i);
    printf("%llu runs, seeds from %llu\n", (unsigned long long)i, (unsigned long long)seed);
    return check_result();
}
