/* SPDX-License-Identifier: BSD-3-Clause */
/* sensor.c - an inertial sensor at 1000 Hz */
#include <errno.h>
#include <math.h>

#include "robot.h"

#define PERIOD_NS 1000000

static void advance(struct timespec *t)
{
    t->tv_nsec += PERIOD_NS;
    if (t->tv_nsec >= 1000000000) {
        t->tv_nsec -= 1000000000;
        t->tv_sec++;
    }
}

int main(void)
{
    ach_channel_t imu;
    struct meter meter;
    struct timespec next;

    robot_handle_signals();
    robot_open(&imu, "imu", 64, sizeof(struct imu));
    meter_init(&meter, "sensor");
    clock_gettime(CLOCK_MONOTONIC, &next);
    while (!robot_stop) {
        struct imu m = {.sent_ns = robot_now_ns()};
        double t = (double)m.sent_ns / 1e9;

        m.angle = 0.1 * sin(t);
        m.rate = 0.1 * cos(t);
        robot_must(ach_put(&imu, &m, sizeof(m)), "sensor: put");
        meter_count(&meter, 0, 0);
        advance(&next);
        while (!robot_stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
            ;
    }
    return 0;
}
