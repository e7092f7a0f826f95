/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wake-races.c - a waiter misses no put (G6)
 *
 *     wake-races [threads] [ROUNDS]
 *
 * Runs each variant for a second, and until ROUNDS rounds are done in all;
 * ACH_TEST_SCALE=1000 sets ten million. A wake-up is lost if both sides sleep.
 * The library checks again by itself after a second, which hides that; so the
 * processes are watched from outside.
 */
#include "races.h"
#include "racy.h"

#define SLICE_MS 1200

/* Threads cannot be killed; and ThreadSanitizer delays signals during system calls. */
static bool fits(const struct variant *v, bool threads)
{
#ifdef RACY_TSAN
    if (v->handler)
        return false;
#endif
    return !(threads && v->victims);
}

static unsigned fitting(bool threads)
{
    unsigned i, n = 0;

    for (i = 0; i < race_variant_count; i++)
        n += fits(&race_variants[i], threads);
    return n;
}

int main(int argc, char **argv)
{
    bool threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    const char *number = argc > 1 + threads ? argv[1 + threads] : NULL;
    uint64_t wanted = number ? strtoull(number, NULL, 10) : long_run();
    long ms = (long)check_scale(SLICE_MS);
    uint64_t total = 0;
    unsigned i;

    for (i = 0; i < race_variant_count && !check_failures; i++) {
        struct race r = {.variant = &race_variants[i], .seed = (uint64_t)getpid() + i};
        uint64_t rounds;

        if (!fits(r.variant, threads))
            continue;
        r.heap = threads;
        r.shared = check_shared(sizeof(*r.shared));
        rounds = race_run(&r, threads, ms, wanted / fitting(threads) + 1);
        printf("%s: %llu rounds\n", r.variant->name, (unsigned long long)rounds);
        munmap(r.shared, sizeof(*r.shared));
        total += rounds;
    }
    printf("%llu rounds, %s\n", (unsigned long long)total,
           check_failures ? "and then a failure" : "none lost");
    return check_result();
}
