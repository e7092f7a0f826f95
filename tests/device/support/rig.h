/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rig.h - a robot on the test bench
 *
 * A rig is a robot in this process with all built-in drivers and those of the
 * test, made from a config text. Its log lines are kept. An ear is a queue that
 * is subscribed to one device: what comes is taken out one by one, and commands
 * and requests go the other way. Every wait has an end; what must succeed and
 * does not ends the test program.
 *
 *     struct rig *rig = rig_start("driver (name \"dummy\" provides [\"laser:0\"])");
 *     struct ear *ear = ear_open(rig, "laser:0");
 *     ach_message_t *scan = ear_data(ear, ACH_LASER_DATA_SCAN);
 *     ...
 *     ach_message_unref(scan);
 *     ear_close(ear);
 *     rig_end(rig);
 */
#ifndef RIG_H
#define RIG_H

#include <ach/transport.h>

#include "check.h"

/* A machine that is busy may need that long, in seconds. */
#define RIG_PATIENCE ((double)check_time(30))

/* Wait until it holds; fails the check if it never does. */
#define EVENTUALLY(cond)                                                                           \
    do {                                                                                           \
        double end_ = rig_now() + RIG_PATIENCE;                                                    \
        bool held_ = (cond);                                                                       \
                                                                                                   \
        while (!held_ && rig_now() < end_) {                                                       \
            check_sleep_ms(1);                                                                     \
            held_ = (cond);                                                                        \
        }                                                                                          \
        if (!CHECK(held_)) /* it need not hold any more */                                         \
            fprintf(stderr, "never: %s\n", #cond);                                                 \
    } while (0)

struct rig;
struct ear;

/* A robot without drivers. @simulated: its clock stands at 0. */
struct rig *rig_create(bool simulated);

/* A driver of the test's own; before loading. */
void rig_add(struct rig *rig, const ach_driver_class_t *driver);

/* Build the drivers of a config text; the text's errors are in the log. */
ach_status_t rig_load(struct rig *rig, const char *config);

/* All three, for a text that is right; then starts the robot. */
struct rig *rig_start(const char *config);
void rig_end(struct rig *rig);

ach_robot_t *rig_robot(struct rig *rig);

/* Seconds of a clock that is not the robot's. */
double rig_now(void);

/* Whether the log has a line with this in it, now or soon. */
bool rig_logged(struct rig *rig, const char *text);

/* How many lines with this are in the log now. */
unsigned rig_count(struct rig *rig, const char *text);

ach_address_t rig_address(const char *text);

/* Subscribe, and wait until that is done. */
struct ear *ear_open(struct rig *rig, const char *address);

/* As ear_open, for a setup that may fail: *status says so, *why has 256 bytes for the sentence. */
struct ear *ear_try(struct rig *rig, const char *address, ach_status_t *status, char *why);

/* As ear_open, without waiting; then ear_status says how it ended, ACH_EAGAIN: not yet. */
struct ear *ear_begin(struct rig *rig, const char *address);
ach_status_t ear_status(struct ear *ear);

/* Subscribe the same queue to one more device, or once more to the same. */
ach_status_t ear_subscribe(struct ear *ear, const char *address);

/* Unsubscribe, unless the subscription failed. */
void ear_close(struct ear *ear);

/* Close without unsubscribing: the test has done that. */
void ear_forget(struct ear *ear);

ach_queue_t *ear_queue(struct ear *ear);
struct rig *ear_rig(struct ear *ear);

/* The next message, the caller's to release; NULL after so many seconds. */
ach_message_t *ear_next(struct ear *ear, double seconds);

/* The next of this kind; others are dropped. NULL after RIG_PATIENCE, with a failed check. */
ach_message_t *ear_want(struct ear *ear, uint8_t type, uint8_t subtype);
ach_message_t *ear_data(struct ear *ear, uint8_t subtype);

/* A command with the struct of that message; NULL: no body. */
ach_status_t ear_command(struct ear *ear, uint8_t subtype, const void *body);

/* A request; its answer comes to the ear with the returned sequence. */
uint32_t ear_ask(struct ear *ear, uint8_t subtype, const void *body);

/* A request and its answer, an ACK or a NACK, the caller's to release. */
ach_message_t *ear_request(struct ear *ear, uint8_t subtype, const void *body);

/* Set a property that is a number with a fraction. */
void ear_property(struct ear *ear, const char *name, double value);

/* Whether a request is answered with an ACK. */
bool ear_acked(struct ear *ear, uint8_t subtype, const void *body);

#endif
