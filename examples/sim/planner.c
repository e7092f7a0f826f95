/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planner.c - foresees a pendulum, over and over, and thinks long about it
 *
 * usage: planner [--device ADDRESS] [--think SECONDS] [--seconds SECONDS]
 *
 * Takes the newest state of the pendulum, follows its free motion into the future for
 * --think seconds of computing, says once a second how far it came, and begins again. As
 * balance.c, it takes time and device as they are.
 *
 * Beside a controller this is the usual pair: one that has to be quick, and one that
 * takes long. On the robot they share a processor or not; in a simulation both are
 * charged for what they compute, and neither waits for the other.
 */
#include <ach.h>
#include <ach/proxies.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PATIENCE 5.0
#define STEP 1e-4        /* s, of what is foreseen */
#define STEPS 1000       /* between two looks at the clock */
#define FREQUENCY2 32.57 /* gravity by length, 1/s^2 */
#define SAY 1000000000   /* ns */

struct outlook {
    double angle, velocity, ahead;
};

static int64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void must(ach_status_t status, const char *what)
{
    if (status == ACH_OK || status == ACH_MISSED_FRAME)
        return;
    fprintf(stderr, "planner: %s: %s: %s\n", what, ach_result_to_string(status), ach_errstr());
    exit(1);
}

static struct outlook look(ach_device_t *device)
{
    const ach_actarray_data_t *data;
    ach_message_t *m;
    struct outlook now = {0};

    must(ach_actarray_get_state(device, PATIENCE, ACH_O_LAST | ACH_O_WAIT, &m, &data), "the joint");
    if (data->actuators_count) {
        now.angle = (double)data->actuators[0].position;
        now.velocity = (double)data->actuators[0].speed;
    }
    ach_message_unref(m);
    return now;
}

/* The free motion, as long as there is time to compute. */
static void foresee(struct outlook *o, double think)
{
    int64_t end = read_clock(CLOCK_THREAD_CPUTIME_ID) + (int64_t)(think * 1e9);
    int i;

    while (read_clock(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (i = 0; i < STEPS; i++) {
            o->velocity -= FREQUENCY2 * sin(o->angle) * STEP;
            o->angle += o->velocity * STEP;
        }
        o->ahead += STEPS * STEP;
    }
}

static double option(int argc, char **argv, const char *name, double fallback)
{
    int i;

    for (i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return atof(argv[i + 1]);
    return fallback;
}

static const char *address(int argc, char **argv)
{
    int i;

    for (i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--device") == 0)
            return argv[i + 1];
    return "actarray:0";
}

int main(int argc, char **argv)
{
    double think = option(argc, argv, "--think", 0.05), ahead = 0, took = 0;
    int64_t begin, end, said;
    ach_device_t *device;
    unsigned plans = 0;

    must(ach_device_open(address(argc, argv), NULL, &device), "the device");
    begin = said = read_clock(CLOCK_MONOTONIC);
    end = begin + (int64_t)(option(argc, argv, "--seconds", 6) * 1e9);
    while (read_clock(CLOCK_MONOTONIC) < end) {
        struct outlook o = look(device);
        int64_t looked = read_clock(CLOCK_MONOTONIC), now;

        foresee(&o, think);
        now = read_clock(CLOCK_MONOTONIC);
        took += (double)(now - looked) * 1e-9;
        ahead += o.ahead;
        plans++;
        if (now - said >= SAY) {
            printf("planner: %u plans; one takes %.3f ms and foresees %.0f s\n", plans,
                   took / plans * 1e3, ahead / plans);
            fflush(stdout);
            said = now;
        }
    }
    printf("planner: %u plans in %.3f s, %.3f ms each\n", plans,
           (double)(read_clock(CLOCK_MONOTONIC) - begin) * 1e-9, took / plans * 1e3);
    ach_device_close(device);
    return plans ? 0 : 1;
}
