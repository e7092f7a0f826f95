/* SPDX-License-Identifier: BSD-3-Clause */
/* robot.h - a server process with a device that publishes at a steady rate, and a large map */
#ifndef BENCH_ROBOT_H
#define BENCH_ROBOT_H

#include <stdint.h>
#include <sys/types.h>

struct robot {
    pid_t pid;
    int stop; /* closing it ends the process */
    uint16_t port;
};

/* Exits with a message if it cannot. The device is position2d:0; its px counts. */
struct robot robot_start(double rate);
void robot_end(struct robot *r);

#endif
