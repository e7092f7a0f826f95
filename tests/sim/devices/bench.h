/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bench.h - a world with its robot, and a clock that the test moves
 *
 * The robot also has the drivers that are not simulated.
 *
 *     struct bench *b = bench_start("physics (...) driver (...)", 1);
 *     struct ear *ear = ear_open(b, "actarray:0");
 *     bench_run(b, 5 * MS);
 *     while ((m = ear_next(ear)))
 *         ...
 */
#ifndef BENCH_H
#define BENCH_H

#include <ach/transport.h>

#include "check.h"
#include "sim/devices/world.h"

#define MS INT64_C(1000000)

/* Timeout in seconds, long enough for a busy machine. */
#define PATIENCE ((double)check_time(60))

struct bench {
    ach_config_t *config;
    struct simd_world *world;
    ach_robot_t *robot;
    char log[4000]; /* all log lines, and errors of bench_try */
};

struct ear {
    struct bench *bench;
    ach_address_t address;
    ach_queue_t *queue;
    ach_status_t status; /* of the subscription */
    uint32_t sequence;
};

/* Fill in b. On failure b->log has the errors, and the caller destroys the members that are set. */
ach_status_t bench_try(struct bench *b, const char *config, uint64_t seed);
struct bench *bench_start(const char *config, uint64_t seed);
void bench_end(struct bench *b);

/* Run the world, with all that is due, up to that time. */
void bench_run(struct bench *b, int64_t time);

struct ear *ear_open(struct bench *b, const char *address);
void ear_close(struct ear *e);

/* The next message, which the caller releases. NULL: there is none. */
ach_message_t *ear_next(struct ear *e);

ach_status_t ear_command(struct ear *e, uint8_t subtype, const void *body);

/* Send a request. Returns the answer, an ACK or NACK, which the caller releases. */
ach_message_t *ear_request(struct ear *e, uint8_t subtype, const void *body);
bool ear_acked(struct ear *e, uint8_t subtype, const void *body);

#endif
