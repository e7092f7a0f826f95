/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * passed.h - commands that were passed to the process of a driver
 *
 * The process marks each command in shared memory when its driver has handled it. So when the
 * process is killed, the server knows which commands are lost, and counts them for their senders.
 *
 * The server's functions are called under the lock of the pipe; the others by the process.
 */
#ifndef DEV_PASSED_H
#define DEV_PASSED_H

#include "../core.h"

/* More than the pipe and the queue of a driver can hold. */
#define DEV_PASSED_MAX 4096u

struct dev_passed {
    unsigned char *marks;                 /* shared, at sequence % DEV_PASSED_MAX; NULL: none */
    ach_queue_t *senders[DEV_PASSED_MAX]; /* in the server: of commands without a result, ... */
    uint32_t sequences[DEV_PASSED_MAX];   /* ... and their sequences */
    uint32_t sequence;                    /* the last one */
};

/* The server: create the memory. *fd: for the process; the caller closes it. */
ach_status_t dev_passed_create(struct dev_passed *p, int *fd);

/* The process: map that memory. */
ach_status_t dev_passed_open(struct dev_passed *p, int fd);

/*
 * The server: a command is passed. Returns the sequence for its header; 0: there is no room,
 * because the process has not handled DEV_PASSED_MAX commands.
 */
uint32_t dev_passed_add(struct dev_passed *p, ach_queue_t *sender);

/* The server: the command is not passed, or the process says why it is not handled. */
void dev_passed_remove(struct dev_passed *p, uint32_t sequence, const char *why);

/* The process: a command has a result. */
void dev_passed_settle(struct dev_passed *p, uint32_t sequence, bool handled);

/* The server: who sent a command that the process passes on, to be released; NULL: unknown. */
ach_queue_t *dev_passed_sender(struct dev_passed *p, uint32_t sequence);

/* The server: count the commands that are marked as not handled, and were not reported. */
void dev_passed_collect(struct dev_passed *p);

/* The process has ended: count the commands that it has not handled. Returns their number. */
unsigned dev_passed_finish(struct dev_passed *p);

#endif
