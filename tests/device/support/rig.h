/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rig.h - a robot on the test bench
 *
 * A rig is a robot in this process with all built-in drivers and those of the
 * test, created from a config text. Its log lines are kept. An ear is a queue
 * that is subscribed to one device: it receives messages of the device one by
 * one, and sends commands and requests to it. Every wait has a timeout. A call
 * that must succeed but fails ends the test program.
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

/* Timeout of a wait in seconds, long enough for a busy machine. */
#define RIG_PATIENCE ((double)check_time(30))

/* Wait until @cond holds; the check fails if it does not within RIG_PATIENCE. */
#define EVENTUALLY(cond)                                                                           \
    do {                                                                                           \
        double end_ = rig_now() + RIG_PATIENCE;                                                    \
        bool held_ = (cond);                                                                       \
                                                                                                   \
        while (!held_ && rig_now() < end_) {                                                       \
            check_sleep_ms(1);                                                                     \
            held_ = (cond);                                                                        \
        }                                                                                          \
        if (!CHECK(held_)) /* latched: @cond may be false by now */                                \
            fprintf(stderr, "never: %s\n", #cond);                                                 \
    } while (0)

struct rig;
struct ear;

/* A robot with the built-in driver classes and no devices. @simulated: its clock stands at 0. */
struct rig *rig_create(bool simulated);

/* Add a driver class of the test; call this before rig_load. */
void rig_add(struct rig *rig, const ach_driver_class_t *driver);

/* Create the drivers of a config text. Errors in the text are kept in the log. */
ach_status_t rig_load(struct rig *rig, const char *config);

/* Check that a config text is refused, with a line in the log that contains @why. */
void rig_refuses(const char *config, const char *why);

/* Create a robot, load a config text that must be valid, and start the robot. */
struct rig *rig_start(const char *config);
void rig_end(struct rig *rig);

ach_robot_t *rig_robot(struct rig *rig);

/* Monotonic time in seconds, independent of the robot's clock. */
double rig_now(void);

/* Wait up to RIG_PATIENCE for a log line that contains @text; false if there is none. */
bool rig_logged(struct rig *rig, const char *text);

/* The number of log lines so far that contain @text. */
unsigned rig_count(struct rig *rig, const char *text);

ach_address_t rig_address(const char *text);

/* Subscribe and wait for the result, which must be ACH_OK. */
struct ear *ear_open(struct rig *rig, const char *address);

/* As ear_open, but may fail: *status is the result, @why (256 bytes, or NULL) gets the reason. */
struct ear *ear_try(struct rig *rig, const char *address, ach_status_t *status, char *why);

/* As ear_open, without waiting. ear_status returns the result, or ACH_EAGAIN while pending. */
struct ear *ear_begin(struct rig *rig, const char *address);
ach_status_t ear_status(struct ear *ear);

/* Subscribe the same queue to one more device, or once more to the same. */
ach_status_t ear_subscribe(struct ear *ear, const char *address);

/* Unsubscribe if ear_open or ear_try has subscribed, and free the ear. */
void ear_close(struct ear *ear);

/* Close without unsubscribing, for a test that has already unsubscribed. */
void ear_forget(struct ear *ear);

ach_queue_t *ear_queue(struct ear *ear);
struct rig *ear_rig(struct ear *ear);

/* The next message, which the caller releases; NULL if none arrives within @seconds. */
ach_message_t *ear_next(struct ear *ear, double seconds);

/* The next message of this kind; others are dropped. NULL and a failed check after RIG_PATIENCE. */
ach_message_t *ear_want(struct ear *ear, uint8_t type, uint8_t subtype);
ach_message_t *ear_data(struct ear *ear, uint8_t subtype);

/* Send a command. @body is the struct of that message, or NULL for no body. */
ach_status_t ear_command(struct ear *ear, uint8_t subtype, const void *body);

/* Send a request and return its sequence; the ear receives the answer with that sequence. */
uint32_t ear_ask(struct ear *ear, uint8_t subtype, const void *body);

/* Send a request and wait for its answer, an ACK or a NACK, which the caller releases. */
ach_message_t *ear_request(struct ear *ear, uint8_t subtype, const void *body);

/* Set a property of type double. */
void ear_property(struct ear *ear, const char *name, double value);

/* Send a request; true if it is answered with an ACK. */
bool ear_acked(struct ear *ear, uint8_t subtype, const void *body);

/* Is a request without a body refused, because the device is not set up? If not, it is made. */
bool ear_refused(struct ear *ear, uint8_t subtype);

#endif
