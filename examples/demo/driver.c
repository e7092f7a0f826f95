/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.c - a wheel: carries out the newest command, coasts when none comes. usage: driver SIDE */
#include <stdio.h>

#include "robot.h"

int main(int argc, char **argv)
{
    const struct timespec limit = {.tv_nsec = 20 * 1000 * 1000};
    ach_channel_t command, state;
    struct meter meter;
    char name[32];

    if (argc != 2) {
        fprintf(stderr, "usage: driver SIDE\n");
        return 2;
    }
    robot_handle_signals();
    snprintf(name, sizeof(name), "cmd-%.16s", argv[1]);
    robot_open(&command, name, 16, sizeof(struct command));
    snprintf(name, sizeof(name), "state-%.16s", argv[1]);
    robot_open(&state, name, 64, sizeof(struct state));
    snprintf(name, sizeof(name), "driver-%.8s", argv[1]);
    meter_init(&meter, name);
    while (!robot_stop) {
        struct command c = {0};
        struct state s = {0};
        uint64_t missed = 0;
        size_t size;
        ach_status_t r = ach_get(&command, &c, sizeof(c), &size, &limit,
                                 ACH_O_WAIT | ACH_O_LAST | ACH_O_RELTIME);

        s.coasting = !robot_got(r);
        s.torque = s.coasting ? 0 : c.torque;
        ach_channel_missed(&command, NULL, &missed);
        if (!s.coasting)
            meter_count(&meter, c.sent_ns, missed);
        meter_tick(&meter);
        s.sent_ns = robot_now_ns();
        robot_must(ach_put(&state, &s, sizeof(s)), "driver: put");
    }
    return 0;
}
