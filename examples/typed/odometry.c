/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * odometry.c - messages of fixed size without a copy, with a header of ach gen
 *
 * odometry put X Y   fills in a message in the channel "odometry"
 * odometry get       reads the newest one in the channel
 *
 * The struct is the message. The channel has a single writer, so a reservation is the channel's
 * own memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "odometry.h"

#define CHANNEL "odometry"

static int fail(const char *what)
{
    fprintf(stderr, "odometry: %s\n", what);
    return 1;
}

static int put(double x, double y)
{
    ach_create_attr_t create;
    ach_attr_t attr;
    ach_channel_t chan;
    ach_status_t r;
    struct odometry *m;
    struct timespec now;

    ach_create_attr_init(&create);
    ach_create_attr_set_single_writer(&create, 1);
    r = odometry_create(CHANNEL, 16, &create);
    if (r != ACH_OK && r != ACH_EEXIST)
        return fail(ach_errstr());
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (odometry_open(&chan, CHANNEL, &attr) != ACH_OK)
        return fail(ach_errstr());
    r = odometry_reserve(&chan, &m);
    if (r == ACH_OK) {
        clock_gettime(CLOCK_REALTIME, &now);
        m->stamp.sec = (int32_t)now.tv_sec;
        m->stamp.nanosec = (uint32_t)now.tv_nsec;
        m->x = x;
        m->y = y;
        m->heading = 0;
        m->speed = 0.5;
        r = odometry_commit(&chan);
    }
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

static int get(void)
{
    const struct timespec limit = {.tv_sec = 2};
    const struct odometry *m;
    ach_channel_t chan;
    ach_status_t r;
    double x, y;

    if (odometry_open(&chan, CHANNEL, NULL) != ACH_OK)
        return fail(ach_errstr());
    do {
        r = odometry_view(&chan, &m, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);
        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            break;
        x = m->x;
        y = m->y;
        r = ach_view_check(&chan);
        if (r == ACH_OK)
            printf("%g %g\n", x, y);
    } while (r == ACH_EAGAIN); /* overwritten while we read it */
    ach_close(&chan);
    return r == ACH_OK ? 0 : fail(ach_result_to_string(r));
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "put") == 0)
        return put(atof(argv[2]), atof(argv[3]));
    if (argc == 2 && strcmp(argv[1], "get") == 0)
        return get();
    return fail("usage: odometry put X Y, or odometry get");
}
