/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inbox.h - what comes by a queue: data for who gets it, answers for who asks
 *
 * The queue may be filled by any thread; all else is for one thread at a time.
 */
#ifndef ACHI_INBOX_H
#define ACHI_INBOX_H

#include <ach/transport.h>

struct achi_inbox {
    ach_queue_t *queue;
    ach_queue_t *data;    /* data that came while somebody waited for an answer */
    int fd;               /* readable while the queue may have something */
    bool closed;          /* nothing more will come */
    uint64_t lost_before; /* told by the server, not yet by us */
    uint32_t sequence;    /* of the last request; never 0 */
    int waited;           /* its subtype, while its answer is waited for; else -1 */
    uint8_t late[256];    /* by subtype: requests that were given up, and may still be answered */
    double forget_late;   /* when they are not expected any more */
};

ach_status_t achi_inbox_init(struct achi_inbox *in, unsigned messages);
void achi_inbox_finish(struct achi_inbox *in);

/* The next data. */
ach_status_t achi_inbox_get(struct achi_inbox *in, double timeout, int options, ach_message_t **m,
                            uint64_t *missed);

/* Give a request its sequence; achi_inbox_await follows, unless it cannot be sent. */
void achi_inbox_ask(struct achi_inbox *in, ach_header_t *request);

/*
 * The ACK or NACK of the last request. Some servers answer with the sequence 0: such an
 * answer is for the oldest request of its subtype.
 */
ach_status_t achi_inbox_await(struct achi_inbox *in, double timeout, ach_message_t **answer);

#endif
