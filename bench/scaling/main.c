/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-scaling: how the cost of channels grows with their number, users and sizes */
#include <stdlib.h>
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

#define OVER(x, y, measure_) .x_label = (x), .y_label = (y), .measure = (measure_)
#define X_LOG .x_log = true
#define Y_LOG .y_log = true

static const struct group groups[] = {
    {"memory", "Memory of a channel", OVER("frames", "bytes of its file", memory_measure), X_LOG,
     Y_LOG, .once = true},
    {"handle", "Page tables of an open handle, all of its memory touched",
     OVER("frames", "bytes", memory_measure), X_LOG, Y_LOG, .what = "handle", .once = true},
    {"channels", "Put and get of 64 B with many channels open in one process",
     OVER("open channels", "ns", channels_measure), X_LOG},
    {"readers", "Put of 64 B while others read", OVER("readers", "ns", readers_measure), Y_LOG},
    {"writers", "Put and get LAST of 64 B while others do the same",
     OVER("writers", "ns, median", writers_measure)},
    {"throughput", "Pairs of put and get LAST, all writers together",
     OVER("writers", "pairs per second", writers_measure), .what = "rates"},
    {"sizes", "Put and get LAST by size", OVER("bytes", "ns", ops_measure), X_LOG, Y_LOG,
     .what = sizes_ops, .x_first = 8, .x_last = 4194304, .x_factor = 2, .x_fits = sizes_fit},
    {"history", "Get of 64 B by how many messages the channel keeps",
     OVER("frames", "ns", ops_measure), X_LOG, .what = history_ops, .x_first = 1, .x_last = 65536,
     .x_factor = 4, .x_fits = history_fits},
    {"polled", "put of 64 B while processes poll the channel", .measure = polled_measure,
     .two_cpus = true},
    {"polled-count", "instructions of a put while processes poll the channel",
     .unit = "instructions", .measure = polled_count, .two_cpus = true, .once = true},
};

static const struct claim claims[] = {
    {"polled", "1 reader, less none and two lines", NULL, P50_BELOW, .limit = 0},
    {"polled-count", "1 reader", "no reader", WITHIN, .limit = 1},
    {"polled-count", "16 readers", "no reader", WITHIN, .limit = 1},
    {0},
};

static const struct program program = {
    .name = "ach-scaling",
    .about = "Measures how the cost of channels grows: with their number, the readers, the\n"
             "writers, the size of messages and how many are kept. Each point is the median of\n"
             "the rounds.\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 15,
    .quick_rounds = 3,
    .repeat = polled_repeat,
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, &program);
}
