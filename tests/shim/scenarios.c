/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenarios.h"

#include "../../src/core/layout.h"

#define WRITER(...)                                                                                \
    {                                                                                              \
        .writer = true, .after = -1, .n = sizeof((struct op[]){__VA_ARGS__}) / sizeof(struct op),  \
        .ops = {                                                                                   \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define READER(...)                                                                                \
    {                                                                                              \
        .after = -1, .n = sizeof((struct op[]){__VA_ARGS__}) / sizeof(struct op), .ops = {         \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define PUT(n)                                                                                     \
    {                                                                                              \
        .kind = OP_PUT, .size = (n)                                                                \
    }
#define GET(opts)                                                                                  \
    {                                                                                              \
        .kind = OP_GET, .size = 1024, .options = (opts)                                            \
    }

const struct plan scenarios[] = {
    {.name = "two writers and LAST",
     .chan = {.frame_cnt = 1, .frame_size = 16},
     .n = 3,
     .actors = {WRITER(PUT(16)), WRITER(PUT(9)), READER(GET(ACH_O_LAST))}},
    {.name = "the ring goes round under LAST",
     .chan = {.frame_cnt = 1, .frame_size = 100, .flags = ACHI_F_MIRRORED, .copy_words = 6},
     .n = 2,
     .actors = {WRITER(PUT(100), PUT(90), PUT(100)), READER(GET(ACH_O_LAST), GET(ACH_O_LAST))}},
    {.name = "two writers push out what FIRST wants",
     .chan = {.frame_cnt = 2, .frame_size = 48, .copy_words = 6},
     .n = 3,
     .actors = {WRITER(PUT(96), PUT(81)), WRITER(PUT(90)), READER(GET(0), GET(0))}},
    {.name = "FIRST among small and large",
     .chan = {.frame_cnt = 3, .frame_size = 30, .copy_words = 6},
     .n = 2,
     .actors = {WRITER(PUT(8), PUT(90), PUT(8), PUT(90)), READER(GET(0), GET(0), GET(0))}},
    {.name = "slots are used again",
     .chan = {.frame_cnt = 1, .frame_size = 16},
     .n = 2,
     .actors = {WRITER(PUT(16), PUT(8), PUT(16)), READER(GET(0), GET(ACH_O_COPY))}},
    {.name = "two waiters and a writer",
     .chan = {.frame_cnt = 1, .frame_size = 8},
     .n = 3,
     .actors = {WRITER(PUT(8), PUT(8)), READER(GET(ACH_O_WAIT)),
                READER(GET(ACH_O_WAIT | ACH_O_LAST))}},
    {.name = "a waiter and two writers",
     .chan = {.frame_cnt = 2, .frame_size = 8},
     .n = 3,
     .actors = {WRITER(PUT(8)), WRITER(PUT(8)), READER(GET(ACH_O_WAIT), GET(ACH_O_WAIT))}},
    {.name = "a read-only waiter",
     .chan = {.frame_cnt = 1, .frame_size = 8, .readonly_wake = true},
     .n = 2,
     .actors =
         {WRITER(PUT(8), PUT(8)),
          {.readonly = true, .after = -1, .n = 2, .ops = {GET(ACH_O_WAIT), GET(ACH_O_WAIT)}}}},
    {.name = "a waiter on a channel that is retired",
     .chan = {.frame_cnt = 1, .frame_size = 8},
     .n = 3,
     .actors = {WRITER({.kind = OP_RETIRE}), WRITER(PUT(8)), READER(GET(ACH_O_WAIT))}},
    {.name = "in place",
     .chan = {.frame_cnt = 1, .frame_size = 100, .flags = ACHI_F_SINGLE_WRITER, .copy_words = 6},
     .n = 2,
     .actors = {WRITER({.kind = OP_RESERVE, .size = 100, .least = 60},
                       {.kind = OP_ABORT, .size = 90},
                       {.kind = OP_RESERVE, .size = 100, .least = 100}, PUT(8)),
                READER({.kind = OP_VIEW}, {.kind = OP_VIEW, .options = ACH_O_LAST})}},
    {.name = "the sequence's bits run out",
     .chan = {.frame_cnt = 1,
              .frame_size = 16,
              .start_seq = ACHI_SEQ_BITS / ACHI_ONE_MESSAGE,
              .start_size = 16},
     .n = 3,
     .actors = {WRITER(PUT(16)), WRITER(PUT(8), PUT(8)), READER(GET(ACH_O_LAST), GET(0))}},
};

const size_t scenarios_n = sizeof(scenarios) / sizeof(scenarios[0]);
