/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-bench: what channels cost, and whether it is what they promise */
#include <math.h>
#include <string.h>

#include "channels.h"
#include "instructions.h"

static void instructions_measure(const struct group *g)
{
    const char *how = "counted by the processor";
    const struct counted *c;

    for (c = counted; c->op; c++) {
        double n = instructions_by_processor(c->op);

        if (isnan(n)) {
            how = "counted by valgrind, inside the function";
            n = instructions_in(c->symbol, c->op->name);
        }
        if (isnan(n))
            attempt_fail("neither a hardware counter nor valgrind is here to count them");
        row_value(g, c->op->name, 0, 0, n);
    }
    note("Instructions were %s.", how);
}

static const struct group groups[] = {
    {.name = "operations",
     .about = "one process, nobody waiting, everything in the nearest cache",
     .floor = "CAS lock + memcpy 64 B",
     .measure = ops_measure,
     .what = operations},
    {.name = "bulk",
     .about = "1 MiB messages: time per message, copied in and out",
     .measure = ops_measure,
     .what = bulk_ops,
     .two_cpus = true},
    {.name = "inplace",
     .about = "messages written and read in place, payload untouched",
     .measure = ops_measure,
     .what = in_place_ops},
    {.name = "readers",
     .about = "64 B puts while a reader copies 4 MiB from the same channel",
     .floor = "put 64 B, no reader",
     .measure = ops_measure,
     .what = readers_ops,
     .two_cpus = true},
    {.name = "kernel",
     .about = "system calls on kernel channels, one process, nobody waiting",
     .measure = ops_measure,
     .what = kernel_ops,
     .missing = kernel_missing},
    {.name = "herd",
     .about = "a put that wakes one reader, beside others who sleep and may not write",
     .floor = "none",
     .measure = herd_measure,
     .asked = true},
    {.name = "instructions",
     .about = "of one call",
     .unit = "instructions",
     .measure = instructions_measure},
};

static const struct claim claims[] = {
    CLAIM("operations", "put 64 B", "shared mutex + memcpy", AT_MOST, 1.6),
    CLAIM("operations", "put 64 B", "robust PI mutex + memcpy", AT_MOST, 1.1),
    CLAIM("operations", "get LAST 64 B", "memcpy 64 B", EXTRA, 20),
    CLAIM("operations", "get FIRST 64 B", "memcpy 64 B", SHOWN, 0),
    CLAIM("bulk", "put + get 1 MiB", "memcpy 1 MiB in and out", SHOWN, 0),
    CLAIM("bulk", "put | get, two processes", "memcpy | memcpy, two processes", SHOWN, 0),
    CLAIM("inplace", "reserve + commit 4 MiB", "reserve + commit 64 B", WITHIN, 1.2),
    CLAIM("inplace", "reserve + commit 4 MiB", "reserve + commit 1 KiB", SHOWN, 0),
    CLAIM("inplace", "view + check 4 MiB", "view + check 64 B", WITHIN, 1.2),
    CLAIM("inplace", "view + check 4 MiB", "view + check 1 KiB", SHOWN, 0),
    CLAIM("readers", "put 64 B, reader copies 4 MiB", "put 64 B, no reader", AT_MOST, 1.1),
    CLAIM("readers", "put 64 B, reader copies 4 MiB", "put 64 B, no reader", P99_AT_MOST, 1.5),
    CLAIM("readers", "put 64 B, reader copies 4 MiB", "put 64 B, 4 MiB copied elsewhere", SHOWN, 0),
    CLAIM("readers", "control: reader locks its copy", "put 64 B, no reader", AT_LEAST, 10),
    CLAIM("kernel", "kernel write, poll, read", "pipe write, poll, read", AT_MOST, 1),
    CLAIM("kernel", "kernel read of the newest", "mapped get of the newest", AT_LEAST, 5),
    CLAIM("kernel", "kernel write 64 B", "pipe write 64 B", SHOWN, 0),
    CLAIM("kernel", "kernel poll", "pipe poll", SHOWN, 0),
    CLAIM("kernel", "kernel read 64 B", "pipe read 64 B", SHOWN, 0),
    CLAIM("herd", "some threads", "none", P99_AT_MOST, 2),
    CLAIM("herd", "threads", "none", P99_AT_MOST, 2),
    CLAIM("herd", "entries", "none", P99_AT_MOST, 2),
    {0},
};

static const struct program program = {
    .name = "ach-bench",
    .usage = "usage: ach-bench [--quick] [--rounds N] [--scenario NAME,...] [--json FILE]\n"
             "\n"
             "Measures channels and what they are compared with, in turn. The exit status does\n"
             "not tell whether targets were reached.\n"
             "\n"
             "  --quick       less of everything: under 20 seconds\n"
             "  --rounds N    how many times each contender is measured, 1 to 64\n"
             "  --scenario    only these:",
    .usage_end =
        "\n"
        "  --json FILE   write the results there\n"
        "\n"
        "For tests of the benchmark:\n"
        "  --slow SIDE   stop one side most of the time: main, or peer, the second process\n"
        "  --coarse      time operations in groups, as if the counter were coarse\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 21,
    .quick_rounds = 10,
};

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return counted_repeat(argv[2]);
    return bench_main(argc, argv, &program);
}
