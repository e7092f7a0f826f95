/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.h - a driver in a process of its own
 *
 * Two robots, one in each process, share the driver's devices. In the server's
 * robot a stand-in provides what the driver provides and requires what it
 * requires. In the other robot the driver itself runs, and what it requires is
 * provided by an outlet. Stand-in and outlet are the two ends of a pair of pipes,
 * and do the same: commands and requests to their own devices go to the other end,
 * as do data and answers of all others; and what comes from there is published,
 * answered, or handed to the device that it is for.
 *
 * Pipes, because the core has no network code. If the other process ends, the end
 * of the pipe tells.
 */
#ifndef ACHI_PROCESS_H
#define ACHI_PROCESS_H

#include "core.h"

/* Requests under way at most; more are refused. */
#define ACHI_ASKED_MAX 64u

/* What the first and the second message of a conversation say, as subtypes of SYNCH. */
enum { ACHI_SYNCH_CONFIG, ACHI_SYNCH_READY, ACHI_SYNCH_REFUSED };

/* One end. */
struct achi_end {
    int in, out;
    ach_driver_t *driver;
    pthread_t reader;
    bool reading;
    bool lost;   /* set by the reader */
    bool ending; /* for the reader */
    int answer;  /* set by the reader: ACHI_SYNCH_READY and so on */
    pthread_mutex_t lock;
    uint32_t sequence;
    ach_message_t *asked[ACHI_ASKED_MAX]; /* by sequence */
};

/* A whole message; ACH_CLOSED: the other end is gone, or does not read for 5 seconds. */
ach_status_t achi_end_send(struct achi_end *e, const ach_message_t *m);
ach_status_t achi_end_receive(struct achi_end *e, ach_message_t **m);

/* Have a thread receive for this driver. */
ach_status_t achi_end_start(struct achi_end *e, ach_driver_t *driver);

/* End it, close the pipes, and refuse what was asked. */
void achi_end_finish(struct achi_end *e);

/* What a driver that is an end does with its messages. */
ach_status_t achi_end_process(struct achi_end *e, const ach_message_t *m);

/* And in main: until the other end is gone, or it is to stop. */
void achi_end_run(struct achi_end *e);

#endif
