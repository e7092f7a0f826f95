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
 * Pipes, because the core has no network code. When the other process exits, read
 * returns end of file.
 */
#ifndef DEV_PROCESS_H
#define DEV_PROCESS_H

#include "../../../util/pending.h"
#include "../core.h"
#include "passed.h"

/* Subtypes of SYNCH. The first message is CONFIG; its answer is READY or REFUSED. */
enum {
    DEV_SYNCH_CONFIG,
    DEV_SYNCH_READY,
    DEV_SYNCH_REFUSED,
    DEV_SYNCH_UNHANDLED /* the command of this sequence was not handled; the body says why */
};

/* One end of the pipes. */
struct dev_pipe {
    int in, out;
    ach_driver_t *driver;
    pthread_t reader;
    bool reading;
    bool lost;                    /* the other end has exited or does not read */
    bool deaf;                    /* a write has failed; for the thread of the driver */
    bool ending;                  /* the reader is to return */
    int answer;                   /* set by the reader: DEV_SYNCH_READY and so on */
    pthread_mutex_t lock;         /* guards what follows */
    struct pending_table pending; /* requests to the other end */
    struct dev_passed passed;     /* commands to the process */
};

/* A whole message. ACH_CLOSED: the other end has exited, or did not read for 5 seconds. */
ach_status_t dev_pipe_send(struct dev_pipe *e, const ach_message_t *m);
ach_status_t dev_pipe_receive(struct dev_pipe *e, ach_message_t **m);

/* Start the reader thread for this driver. */
ach_status_t dev_pipe_start(struct dev_pipe *e, ach_driver_t *driver);

/*
 * Join the reader, close the pipes, answer pending requests with a NACK, and count commands that
 * were not handled.
 */
void dev_pipe_finish(struct dev_pipe *e);

/* process of a stand-in or outlet: send the message to the other end. */
ach_status_t dev_pipe_process(struct dev_pipe *e, const ach_message_t *m);

/* main of a stand-in or outlet: until the other end has exited, or the driver is to stop. */
void dev_pipe_run(struct dev_pipe *e);

#endif
