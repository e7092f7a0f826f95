/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan.c - messages of variable size, with a header of ach gen
 *
 * scan put RANGE ...   encodes a scan into a reservation in the channel "scan"
 * scan get             finds the nearest point in the channel's memory
 *
 * scan_put computes the size of the encoded message first, and copies the ranges once: from our
 * array into the channel, because the channel has a single writer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scan.h"

#define CHANNEL "scan"
#define RANGES_MAX 1000

static int fail(const char *what)
{
    fprintf(stderr, "scan: %s\n", what);
    return 1;
}

static ach_status_t open_source(ach_channel_t *chan)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_status_t r;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, 1);
    r = scan_create(CHANNEL, 8, 4096, &create);
    if (r != ACH_OK && r != ACH_EEXIST)
        return r;
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    return scan_open(chan, CHANNEL, &attr);
}

static int put(int count, char **words)
{
    float ranges[RANGES_MAX];
    struct scan m = {.frame = ach_cdr_text("laser"), .angle_min = -1, .angle_step = 0.5f};
    ach_channel_t chan;
    ach_status_t r;
    int i;

    for (i = 0; i < count && i < RANGES_MAX; i++)
        ranges[i] = (float)atof(words[i]);
    m.ranges.data = ranges;
    m.ranges.count = (uint32_t)i;
    if (open_source(&chan) != ACH_OK)
        return fail(ach_errstr());
    r = scan_put(&chan, &m);
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

/* The index of the smallest range. There is at least one. */
static uint32_t nearest(const struct scan *m)
{
    uint32_t i, best = 0;

    for (i = 1; i < m->ranges.count; i++)
        if (m->ranges.data[i] < m->ranges.data[best])
            best = i;
    return best;
}

static int get(void)
{
    const struct timespec limit = {.tv_sec = 2};
    struct scan m;
    ach_channel_t chan;
    ach_status_t r;

    if (scan_open(&chan, CHANNEL, NULL) != ACH_OK)
        return fail(ach_errstr());
    do {
        float range = 0, angle = 0;

        r = scan_view(&chan, &m, NULL, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);
        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            break;
        if (m.ranges.count) {
            uint32_t i = nearest(&m);

            range = m.ranges.data[i];
            angle = m.angle_min + (float)i * m.angle_step;
        }
        r = ach_view_check(&chan);
        if (r == ACH_OK)
            printf("%u ranges, %g at %g\n", m.ranges.count, range, angle);
    } while (r == ACH_EAGAIN); /* overwritten while we read it */
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "put") == 0)
        return put(argc - 2, argv + 2);
    if (argc == 2 && strcmp(argv[1], "get") == 0)
        return get();
    return fail("usage: scan put RANGE ..., or scan get");
}
