/* SPDX-License-Identifier: BSD-3-Clause */
/* controller.c - from the newest measurement to a command for each wheel */
#include "robot.h"

int main(void)
{
    const struct timespec limit = {.tv_nsec = 100 * 1000 * 1000};
    ach_channel_t imu, left, right;
    struct meter meter;

    robot_handle_signals();
    robot_open(&imu, "imu", 64, sizeof(struct imu));
    robot_open(&left, "cmd-left", 16, sizeof(struct command));
    robot_open(&right, "cmd-right", 16, sizeof(struct command));
    meter_init(&meter, "controller");
    ach_flush(&imu);
    while (!robot_stop) {
        struct imu m;
        struct command c;
        uint64_t missed = 0;
        size_t size;
        ach_status_t r =
            ach_get(&imu, &m, sizeof(m), &size, &limit, ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);

        if (!robot_got(r)) {
            meter_tick(&meter);
            continue;
        }
        ach_channel_missed(&imu, NULL, &missed);
        meter_count(&meter, m.sent_ns, missed);
        c.torque = -20 * m.angle - 2 * m.rate;
        c.sent_ns = robot_now_ns();
        robot_must(ach_put(&left, &c, sizeof(c)), "controller: put");
        robot_must(ach_put(&right, &c, sizeof(c)), "controller: put");
    }
    return 0;
}
