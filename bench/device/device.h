/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - the parts of ach-device-bench. A function that fails ends the attempt. */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "bench.h"

#define GREETING 32 /* bytes */

/* A server process with a device that publishes at a steady rate, position2d:0, and a large map.
   The px of the device counts. */
struct robot {
    double rate;
    unsigned clients; /* of a raw sender */
    pid_t pid;
    uint16_t port;
};

struct robot *robot_start(double rate);

/* The floor: a process that sends the same bytes to so many connections, and does nothing else. */
struct robot *robot_start_raw(double rate, unsigned clients);

/* A connection that was greeted, and a request of the interface player. */
int crowd_dial(uint16_t port);
void crowd_ask(int fd, uint8_t subtype, const uint32_t *words, unsigned n);
void crowd_subscribe(int fd, uint16_t interf);

/* Clients that try to exhaust the server. */
enum attack { NONE, MAPS_UNREAD, MAPS_READ, REFUSED_COMMANDS, PARTIAL_MESSAGES, STRANGERS };

struct plan {
    double rate; /* of the device */
    double seconds;
    unsigned clients; /* in one process, on plain sockets */
    unsigned stopped; /* more, that subscribe and never read */
    bool pull;
    enum attack attack; /* instead of clients */
    bool floor;         /* measure the raw sender beside it */
};

/* Latencies in us, from publishing to receiving; lost: by the device's own count. */
void crowd_run(const struct plan *plan, uint16_t port, struct outcome *once);

/* The round trips of another client, in us, beside those that attack. */
void attack_run(const struct plan *plan, uint16_t port, struct outcome *once);

#endif
