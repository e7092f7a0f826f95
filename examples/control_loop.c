/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * control_loop.c - a control loop that only cares for the newest state
 *
 * Waits for a new joint position, skips all but the newest, answers with a
 * torque. When the sensor falls silent for 100 ms the loop commands zero: a
 * machine whose sensor is gone must not go on pushing.
 */
#include <ach.h>
#include <stdio.h>

struct position {
    double angle, velocity;
};

struct torque {
    double newton_metres;
};

static double control(const struct position *p)
{
    return -20.0 * p->angle - 2.0 * p->velocity;
}

static int open_channel(ach_channel_t *chan, const char *name, size_t size)
{
    ach_status_t r = ach_create(name, 16, size, NULL);

    if (r == ACH_OK || r == ACH_EEXIST)
        r = ach_open(chan, name, NULL);
    if (r != ACH_OK)
        fprintf(stderr, "control_loop: %s\n", ach_errstr());
    return r == ACH_OK ? 0 : -1;
}

int main(void)
{
    const struct timespec limit = {.tv_nsec = 100 * 1000 * 1000};
    ach_channel_t state, command;
    int silent = 0;

    if (open_channel(&state, "joint-position", sizeof(struct position)) != 0 ||
        open_channel(&command, "joint-torque", sizeof(struct torque)) != 0)
        return 1;
    ach_flush(&state); /* what was put before we started is of no interest */
    while (silent < 20) {
        struct position p;
        struct torque t = {0};
        size_t size;
        ach_status_t r =
            ach_get(&state, &p, sizeof(p), &size, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);

        if (ach_status_match(r, ACH_MASK_OK | ACH_MASK_MISSED_FRAME)) {
            if (size == sizeof(p)) /* anybody may put anything */
                t.newton_metres = control(&p);
            silent = 0;
        } else if (r == ACH_OVERFLOW) { /* larger than a position: skip it */
            ach_flush(&state);
        } else if (r == ACH_TIMEOUT) {
            silent++;
        } else {
            fprintf(stderr, "control_loop: %s\n", ach_result_to_string(r));
            return 1;
        }
        ach_put(&command, &t, sizeof(t));
    }
    ach_close(&command);
    ach_close(&state);
    return 0;
}
