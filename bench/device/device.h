/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - the parts of ach-device-bench. A function that fails ends the attempt. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench.h"

/* A server process with a device that publishes at a steady rate, position2d:0, and a large map.
   The px of the device counts. */
struct robot {
    pid_t pid;
    int stop; /* closing it ends the process */
    uint16_t port;
};

struct robot robot_start(double rate);
void robot_end(struct robot *r);

/* A connection that was greeted, and a request of the interface player. */
int crowd_dial(uint16_t port);
void crowd_ask(int fd, uint8_t subtype, const uint32_t *words, unsigned n);

/* Many clients in one process, on plain sockets. */
struct crowd_plan {
    double rate;
    unsigned clients;
    unsigned stopped; /* more, that subscribe and never read */
    bool pull;
};

/* Latencies in us, from publishing to receiving; lost: by the device's own count. */
void crowd_run(const struct crowd_plan *plan, uint16_t port, double seconds, struct outcome *once);

/* The round trips of another client, in us, beside clients that try to exhaust the server. */
enum attack { MAPS_UNREAD, MAPS_READ, REFUSED_COMMANDS, PARTIAL_MESSAGES, STRANGERS };
void attack_run(enum attack attack, uint16_t port, double seconds, struct samples *round_trips);

#endif
