/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.h - many clients in one process, on plain sockets */
#ifndef BENCH_CROWD_H
#define BENCH_CROWD_H

#include <stdbool.h>
#include <stdint.h>

#include "../samples.h"

struct crowd_plan {
    uint16_t port;
    unsigned clients;
    unsigned stopped; /* more, that subscribe and never read */
    bool pull;
    double seconds; /* to measure, after one to get going */
};

struct crowd_result {
    struct samples latency; /* us, from publishing to receiving */
    uint64_t received;
    uint64_t missed; /* by the device's own count */
    uint64_t told;   /* to be lost, by the server */
};

/* A connection that was greeted, and a request of the interface player. Exit if they cannot. */
int crowd_dial(uint16_t port);
void crowd_ask(int fd, uint8_t subtype, const uint32_t *words, unsigned n);

/* Exits with a message if it cannot connect. */
void crowd_run(const struct crowd_plan *plan, struct crowd_result *result);

#endif
