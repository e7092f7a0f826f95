/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - references to queues, and limits on requests and answers */
#ifndef DEV_QUEUE_H
#define DEV_QUEUE_H

#include <ach/transport.h>

ach_queue_t *dev_queue_ref(ach_queue_t *q);
void dev_queue_unref(ach_queue_t *q);

/*
 * For a queue whose messages are popped in the thread that pushed them (inline drivers): set the
 * function that dev_queue_attend calls. It runs without the queue's locks.
 */
void dev_queue_attended(ach_queue_t *q, void (*attend)(void *context), void *context);
void dev_queue_attend(const ach_queue_t *q);

/*
 * For a queue whose owner keeps track of its commands itself: set the function that
 * dev_queue_settle calls, without the queue's locks.
 */
void dev_queue_settled(ach_queue_t *q,
                       void (*settled)(void *context, const ach_message_t *command,
                                       const char *why),
                       void *context);

/*
 * What became of an accepted command of the client that owns this queue; once for each. @why: it
 * was not handled; NULL: it was.
 */
void dev_queue_settle(ach_queue_t *q, const ach_message_t *command, const char *why);

/* Whether an answer is within the queue's limit; if not, count it as refused. */
bool dev_queue_fits(ach_queue_t *q, const ach_message_t *m);

/* Charge a message of the client that owns this queue to its budget; false: no room. */
bool dev_queue_count(ach_queue_t *q, const ach_message_t *m);

/* Reserve and release the bytes of a pending request that is answered here. False: too many. */
bool dev_queue_ask(ach_queue_t *q, const ach_message_t *m);
void dev_queue_asked(ach_queue_t *q, const ach_message_t *m);

#endif
