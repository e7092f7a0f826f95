/* SPDX-License-Identifier: BSD-3-Clause */
/* logger.c - reads everything that the sensor and the drivers say */
#include "robot.h"

#define CHANNELS 3

union message {
    uint64_t sent_ns; /* all messages begin with it */
    struct imu imu;
    struct state state;
};

static void drain(ach_channel_t *chan, struct meter *meter, uint64_t *missed)
{
    union message m;
    uint64_t last;
    size_t size;

    while (robot_got(ach_get(chan, &m, sizeof(m), &size, NULL, ACH_O_FIRST))) {
        ach_channel_missed(chan, &last, NULL);
        *missed += last;
        meter_count(meter, m.sent_ns, *missed);
    }
}

int main(void)
{
    const struct timespec limit = {.tv_nsec = 100 * 1000 * 1000};
    ach_channel_t chan[CHANNELS];
    ach_wait_item_t items[CHANNELS] = {{&chan[0], ACH_OK}, {&chan[1], ACH_OK}, {&chan[2], ACH_OK}};
    struct meter meter;
    uint64_t missed = 0;

    robot_handle_signals();
    robot_open(&chan[0], "imu", 64, sizeof(struct imu));
    robot_open(&chan[1], "state-left", 64, sizeof(struct state));
    robot_open(&chan[2], "state-right", 64, sizeof(struct state));
    meter_init(&meter, "logger");
    for (int i = 0; i < CHANNELS; i++)
        ach_flush(&chan[i]);
    while (!robot_stop) {
        if (ach_wait(items, CHANNELS, &limit, ACH_O_RELTIME) == ACH_OK)
            for (int i = 0; i < CHANNELS; i++)
                drain(&chan[i], &meter, &missed);
        meter_tick(&meter);
    }
    return 0;
}
