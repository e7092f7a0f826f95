/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-scaling: how the cost of channels grows with their number, users and sizes */
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "scaling.h"

#define ENTRY_ROOM 256u /* more than a frame takes beside its bytes */

uint64_t shared_room(void)
{
    struct statvfs st;

    MUST_SYS(statvfs(getenv("ACH_DIR"), &st) == 0);
    return (uint64_t)st.f_bavail * st.f_frsize / 2;
}

bool channel_fits(size_t frames, size_t size)
{
    if (frames * 2 * (size + ENTRY_ROOM) < shared_room())
        return true;
    note("A channel of %zu frames of %zu bytes was left out: shared memory is short.", frames,
         size);
    return false;
}

void touch_all(const ach_channel_t *chan)
{
    const volatile unsigned char *byte = (const volatile unsigned char *)chan->shm;
    uint64_t i, page = (uint64_t)sysconf(_SC_PAGESIZE);
    ach_info_t info;

    MUST_ACH(ach_channel_info(chan, &info));
    for (i = 0; i < info.memory; i += page)
        (void)byte[i];
}

static const struct group groups[] = {
    {.name = "memory",
     .about = "Memory of a channel",
     .measure = memory_measure,
     .x_label = "frames",
     .y_label = "bytes of its file",
     .x_log = true,
     .y_log = true},
    {.name = "handle",
     .about = "Page tables of an open handle, all of its memory touched",
     .measure = handle_measure,
     .x_label = "frames",
     .y_label = "bytes",
     .x_log = true,
     .y_log = true},
    {.name = "channels",
     .about = "Put and get of 64 B with many channels open in one process",
     .measure = channels_measure,
     .x_label = "open channels",
     .y_label = "ns",
     .x_log = true},
    {.name = "readers",
     .about = "Put of 64 B while others read",
     .measure = readers_measure,
     .x_label = "readers",
     .y_label = "ns",
     .y_log = true},
    {.name = "writers",
     .about = "Put and get LAST of 64 B while others do the same",
     .measure = writers_measure,
     .x_label = "writers",
     .y_label = "ns, median"},
    {.name = "throughput",
     .about = "Pairs of put and get LAST, all writers together",
     .measure = throughput_measure,
     .x_label = "writers",
     .y_label = "pairs per second"},
    {.name = "sizes",
     .about = "Put and get LAST by size",
     .measure = sizes_measure,
     .x_label = "bytes",
     .y_label = "ns",
     .x_log = true,
     .y_log = true},
    {.name = "history",
     .about = "Get of 64 B by how many messages the channel keeps",
     .measure = history_measure,
     .x_label = "frames",
     .y_label = "ns",
     .x_log = true},
    {.name = "polled",
     .about = "put of 64 B while processes poll the channel",
     .measure = polled_measure,
     .two_cpus = true},
    {.name = "polled-count",
     .about = "instructions of a put while processes poll the channel",
     .unit = "instructions",
     .measure = polled_count,
     .two_cpus = true},
};

static const struct claim claims[] = {
    CLAIM("polled", "1 reader, less none and two lines", NULL, P50_BELOW, 0),
    CLAIM("polled-count", "1 reader", "no reader", WITHIN, 1),
    CLAIM("polled-count", "16 readers", "no reader", WITHIN, 1),
    {0},
};

static const struct program program = {
    .name = "ach-scaling",
    .usage = "usage: ach-scaling [--quick] [--rounds N] [--scenario NAME,...] [--json FILE]\n"
             "\n"
             "Measures how the cost of channels grows: with their number, the readers, the\n"
             "writers, the size of messages and how many are kept. Each point is the median of\n"
             "the rounds.\n"
             "\n"
             "  --quick       fewer rounds: under 10 seconds\n"
             "  --rounds N    how many times each point is measured, 1 to 64\n"
             "  --scenario    only these:",
    .usage_end = "\n"
                 "  --json FILE   write the results there\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 15,
    .quick_rounds = 3,
};

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return polled_repeat(argv[2]);
    return bench_main(argc, argv, &program);
}
