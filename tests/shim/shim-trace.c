/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * shim-trace.c - record runs of the real core for the model to replay
 *
 * usage: shim-trace DIRECTORY [COUNT [FIRST_SEED]]
 *
 * Writes a file NAME.trace for each scenario, and COUNT random ones. Prints
 * the files' names.
 */
#include <check.h>

#include "../../src/core/layout.h"
#include "oracle.h"
#include "policy.h"
#include "trace.h"

#define PUT(n)                                                                                     \
    {                                                                                              \
        .kind = OP_PUT, .size = (n)                                                                \
    }
#define GET(opts)                                                                                  \
    {                                                                                              \
        .kind = OP_GET, .size = PLAY_BUFFER, .options = (opts)                                     \
    }
#define WRITER(count, ...)                                                                         \
    {                                                                                              \
        .writer = true, .after = -1, .n = (count), .ops = { __VA_ARGS__ }                          \
    }
#define READER(count, ...)                                                                         \
    {                                                                                              \
        .after = -1, .n = (count), .ops = { __VA_ARGS__ }                                          \
    }

struct scenario {
    struct plan plan;
    int n;
    struct turn turns[8];
};

static const struct scenario scenarios[] = {
    {.plan = {.name = "last",
              .chan = {.frame_cnt = 1, .frame_size = 16},
              .n = 2,
              .actors = {WRITER(3, PUT(16), PUT(8), PUT(16)),
                         READER(3, GET(ACH_O_LAST), GET(ACH_O_LAST),
                                GET(ACH_O_LAST | ACH_O_COPY))}},
     .n = 4,
     .turns = {{1, GET_STATE, 0, false},
               {0, PUT_COMMIT, 0, false},
               {1, TURN_REST, 0, false},
               {0, PUT_VOID, 2, false}}},
    {.plan = {.name = "ring",
              .chan = {.frame_cnt = 2, .frame_size = 48},
              .n = 3,
              .actors = {WRITER(3, PUT(96), PUT(81), PUT(8)), WRITER(3, PUT(90), PUT(96), PUT(96)),
                         READER(4, GET(0), GET(0), GET(0), GET(0))}},
     .n = 8,
     .turns = {{0, SHIM_UNLOCK, 0, false},
               {1, SHIM_UNLOCK, 0, false},
               {2, GET_COPY, 0, false},
               {0, PUT_COPY, 0, false},
               {2, GET_FIRST, 0, false},
               {0, PUT_SEQ, 0, false},
               {2, GET_CHECK, 0, false},
               {1, TURN_REST, 0, false}}},
    {.plan = {.name = "wait",
              .chan = {.frame_cnt = 1, .frame_size = 8},
              .n = 3,
              .actors = {WRITER(3, PUT(8), PUT(8), PUT(8)),
                         READER(2, GET(ACH_O_WAIT), GET(ACH_O_WAIT)),
                         READER(2, GET(ACH_O_WAIT | ACH_O_LAST), GET(ACH_O_WAIT))}},
     .n = 7,
     .turns = {{1, WAIT_RAISE, 0, false},
               {0, PUT_COMMIT, 0, false},
               {1, TURN_REST, 0, false},
               {0, SHIM_UNLOCK, 0, false},
               {1, WAIT_RAISE, 0, false},
               {0, SHIM_UNLOCK, 0, false},
               {2, TURN_REST, 0, false}}},
    {.plan = {.name = "killed",
              .chan = {.frame_cnt = 1, .frame_size = 100},
              .n = 4,
              .actors = {WRITER(2, PUT(100), PUT(100)), WRITER(1, PUT(90)), WRITER(1, PUT(8)),
                         READER(3, GET(ACH_O_WAIT), GET(ACH_O_LAST), GET(ACH_O_COPY))}},
     .n = 6,
     .turns = {{3, TURN_REST, 0, false},
               {0, PUT_SEQ, 2, true},
               {3, GET_COPY, 0, false},
               {1, PUT_COMMIT, 0, true},
               {3, GET_HEAD, 0, false},
               {2, TURN_REST, 0, false}}},
    {.plan = {.name = "overtaken",
              .chan = {.frame_cnt = 1, .frame_size = 96},
              .n = 2,
              .actors = {WRITER(6, PUT(96), PUT(96), PUT(8), PUT(96), PUT(96), PUT(96)),
                         READER(2, GET(0), GET(ACH_O_LAST))}},
     .n = 6,
     .turns = {{0, SHIM_UNLOCK, 0, false},
               {1, SHIM_COPY_OUT, 3, false},
               {0, SHIM_COPY_IN, 13, false},
               {1, GET_CHECK, 0, false},
               {0, PUT_VOID, 2, false},
               {1, GET_SEQ, 0, false}}},
};

static void record(const char *dir, const struct plan *plan, struct policy *policy)
{
    char path[512];
    FILE *out;

    snprintf(path, sizeof(path), "%s/%s.trace", dir, plan->name);
    out = fopen(path, "w");
    REQUIRE(out != NULL);
    if (!trace_play(plan, policy, out)) {
        fprintf(stderr, "%s: failed: %s\n", plan->name, oracle_reason());
        check_failures++;
    }
    CHECK(fclose(out) == 0);
    printf("%s\n", path);
}

/* Reduce a plan to what a trace can express: puts and gets on a channel that starts empty. */
static void simplify(struct plan *p)
{
    int i, k;

    p->chan.flags &= ACHI_F_MIRRORED;
    p->chan.start_seq = p->chan.start_pos = 0;
    p->chan.roomy = p->chan.readonly_wake = false;
    for (i = 0; i < p->n; i++) {
        p->actors[i].readonly = false;
        p->actors[i].after = -1;
        for (k = 0; k < p->actors[i].n; k++) {
            struct op *op = &p->actors[i].ops[k];

            op->kind = p->actors[i].writer ? OP_PUT : OP_GET;
            if (op->options & ACH_O_WAIT)
                op->options &= ~ACH_O_COPY;
            if (!p->actors[i].writer)
                op->size = PLAY_BUFFER;
            else if (op->size == 0)
                op->size = 1;
        }
    }
}

static void record_random(const char *dir, uint64_t seed)
{
    uint64_t random = seed;
    struct random_policy policy;
    struct plan plan;
    char name[32];

    plan_random(&plan, &random, false);
    simplify(&plan);
    snprintf(name, sizeof(name), "random-%llu", (unsigned long long)seed);
    plan.name = name;
    random_policy_init(&policy, &random, 1, false);
    record(dir, &plan, &policy.policy);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    uint64_t i;

    if (argc < 2) {
        fprintf(stderr, "usage: shim-trace DIRECTORY [COUNT [FIRST_SEED]]\n");
        return 2;
    }
    for (i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        struct scripted_policy policy;

        scripted_policy_init(&policy, scenarios[i].turns, scenarios[i].n);
        record(argv[1], &scenarios[i].plan, &policy.policy);
    }
    for (i = 0; i < count; i++)
        record_random(argv[1], seed + i);
    return check_result();
}
