/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inbox.h - a queue of received messages, split into data and answers
 *
 * Any thread may push into the queue. All functions are for one thread at a time.
 */
#ifndef DEVCL_INBOX_H
#define DEVCL_INBOX_H

#include <ach/transport.h>

struct devcl_inbox {
    ach_queue_t *queue;
    ach_queue_t *data;    /* data received while waiting for an answer */
    int fd;               /* readable while the queue may have something */
    bool closed;          /* nothing more will come */
    uint64_t lost_before; /* losses reported by the server, not yet to the caller */
    uint32_t sequence;    /* of the last request; never 0 */
    int waited;           /* subtype of the request whose answer is awaited; else -1 */
    uint8_t late[256];    /* by subtype: requests that timed out and may still be answered */
    double forget_late;   /* time after which `late` answers are not expected any more */
};

ach_status_t devcl_inbox_init(struct devcl_inbox *in, unsigned messages);
void devcl_inbox_finish(struct devcl_inbox *in);

/* The next data. */
ach_status_t devcl_inbox_get(struct devcl_inbox *in, double timeout, int options, ach_message_t **m,
                             uint64_t *missed);

/* Set the sequence of a request; call devcl_inbox_await after sending it. */
void devcl_inbox_ask(struct devcl_inbox *in, ach_header_t *request);

/*
 * The ACK or NACK of the last request. Some servers answer with the sequence 0: such an
 * answer is for the oldest request of its subtype.
 */
ach_status_t devcl_inbox_await(struct devcl_inbox *in, double timeout, ach_message_t **answer);

#endif
