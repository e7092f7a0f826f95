/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * robot.h - the messages of the demo robot, and how its processes report
 *
 *     sensor --imu--> controller --cmd-left, cmd-right--> two drivers
 *     logger reads imu, state-left, state-right: everything
 *     slow reads imu now and then: the newest
 *     all of them report on the channel "report"
 */
#ifndef ROBOT_H
#define ROBOT_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>

#define ROBOT_REPORT "report"
#define ROBOT_NAME_MAX 16

struct imu {
    uint64_t sent_ns;
    double angle, rate;
};

struct command {
    uint64_t sent_ns;
    double torque;
};

struct state {
    uint64_t sent_ns;
    double torque;
    bool coasting; /* no command came in time */
};

/* What a process says of its last interval. */
struct report {
    char name[ROBOT_NAME_MAX];
    uint64_t count;  /* cycles in the interval */
    uint64_t missed; /* messages it missed, since its start */
    uint64_t interval_ns;
    uint32_t latency_us[3]; /* p50, p99, max of what it received; 0 if nothing */
};

/* Collects what a report says. */
struct meter {
    ach_channel_t chan;
    struct report report;
    uint64_t began_ns;
    uint32_t samples;
    uint32_t latency_us[4096];
};

extern volatile sig_atomic_t robot_stop;

uint64_t robot_now_ns(void);

/* Exit with a sentence if the status is not ACH_OK. */
void robot_must(ach_status_t r, const char *what);

/* Open a channel, making it if need be. */
void robot_open(ach_channel_t *chan, const char *name, size_t count, size_t size);

/* Was a message delivered? */
bool robot_got(ach_status_t r);

/* Set robot_stop at SIGTERM, without restarting system calls. */
void robot_handle_signals(void);

void meter_init(struct meter *m, const char *name);

/* One more cycle; sent_ns is when the message it worked on was sent, or 0. */
void meter_count(struct meter *m, uint64_t sent_ns, uint64_t missed);

/* Report, if the interval is over. */
void meter_tick(struct meter *m);

#endif
