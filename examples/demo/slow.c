/* SPDX-License-Identifier: BSD-3-Clause */
/* slow.c - a reader that takes 100 ms for each message, and always works on the newest */
#include "robot.h"

int main(void)
{
    const struct timespec think = {.tv_nsec = 100 * 1000 * 1000};
    ach_channel_t imu;
    struct meter meter;

    robot_handle_signals();
    robot_open(&imu, "imu", 64, sizeof(struct imu));
    meter_init(&meter, "slow");
    ach_flush(&imu);
    while (!robot_stop) {
        struct imu m;
        uint64_t missed = 0;
        size_t size;

        if (robot_got(ach_get(&imu, &m, sizeof(m), &size, &think,
                              ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME))) {
            ach_channel_missed(&imu, NULL, &missed);
            meter_count(&meter, m.sent_ns, missed);
        }
        nanosleep(&think, NULL);
        meter_tick(&meter);
    }
    return 0;
}
