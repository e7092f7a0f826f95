/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-bench: what channels cost, and whether it is what they promise */
#include "channels.h"

static void instructions_measure(const struct group *g, unsigned round)
{
    const struct op *op;

    for (op = operations; op->name; op++)
        if (op->counted)
            row_value(g, op->name, 0, round, instructions_in(op->counted, op->name));
    note("Instructions were counted by valgrind, inside the function.");
}

#define OPS(ops) .measure = ops_measure, .what = (ops)

static const struct group groups[] = {
    {"operations", "one process, nobody waiting, everything in the nearest cache",
     .floor = "CAS lock + memcpy 64 B", OPS(operations)},
    {"bulk", "1 MiB messages: time per message, copied in and out", OPS(bulk_ops),
     .two_cpus = true},
    {"inplace", "messages written and read in place, payload untouched", OPS(in_place_ops)},
    {"readers", "64 B puts while a reader copies 4 MiB from the same channel",
     .floor = "put 64 B, no reader", OPS(readers_ops), .two_cpus = true},
    {"kernel", "system calls on kernel channels, one process, nobody waiting", OPS(kernel_ops),
     .missing = kernel_missing},
    {"herd", "a put that wakes one reader, beside others who sleep and may not write",
     .floor = "none", .measure = herd_measure, .once = true, .asked = true},
    {"instructions", "of one call", .unit = "instructions", .measure = instructions_measure,
     .once = true},
};

static const struct claim claims[] = {
    {"operations", "put 64 B", "shared mutex + memcpy", AT_MOST, .limit = 1.6},
    {"operations", "put 64 B", "robust PI mutex + memcpy", AT_MOST, .limit = 1.1},
    {"operations", "get LAST 64 B", "memcpy 64 B", EXTRA, .limit = 20},
    {"operations", "get FIRST 64 B", "memcpy 64 B", .how = SHOWN},
    {"bulk", "put + get 1 MiB", "memcpy 1 MiB in and out", .how = SHOWN},
    {"bulk", "put | get, two processes", "memcpy | memcpy, two processes", .how = SHOWN},
    {"inplace", "reserve + commit 4 MiB", "reserve + commit 64 B", WITHIN, .limit = 1.2},
    {"inplace", "reserve + commit 4 MiB", "reserve + commit 1 KiB", .how = SHOWN},
    {"inplace", "view + check 4 MiB", "view + check 64 B", WITHIN, .limit = 1.2},
    {"inplace", "view + check 4 MiB", "view + check 1 KiB", .how = SHOWN},
    {"readers", "put 64 B, reader copies 4 MiB", "put 64 B, no reader", AT_MOST, .limit = 1.1},
    {"readers", "put 64 B, reader copies 4 MiB", "put 64 B, no reader", P99_AT_MOST, .limit = 1.5},
    {"readers", "put 64 B, reader copies 4 MiB", "put 64 B, 4 MiB copied elsewhere", .how = SHOWN},
    {"readers", "control: reader locks its copy", "put 64 B, no reader", AT_LEAST, .limit = 10},
    {"kernel", "kernel write, poll, read", "pipe write, poll, read", AT_MOST, .limit = 1},
    {"kernel", "kernel read of the newest", "mapped get of the newest", AT_LEAST, .limit = 5},
    {"kernel", "kernel write 64 B", "pipe write 64 B", .how = SHOWN},
    {"kernel", "kernel poll", "pipe poll", .how = SHOWN},
    {"kernel", "kernel read 64 B", "pipe read 64 B", .how = SHOWN},
    {"herd", "some threads", "none", P99_AT_MOST, .limit = 2},
    {"herd", "threads", "none", P99_AT_MOST, .limit = 2},
    {"herd", "entries", "none", P99_AT_MOST, .limit = 2},
    {0},
};

static const struct program program = {
    .name = "ach-bench",
    .about = "Measures channels and what they are compared with, in turn. The exit status does\n"
             "not tell whether targets were reached.\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 21,
    .quick_rounds = 10,
    .repeat = operations_repeat,
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, &program);
}
