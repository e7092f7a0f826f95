/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h - what a message is made of */
#ifndef ACHI_MESSAGE_H
#define ACHI_MESSAGE_H

#include <ach/transport.h>

/* A body as it travels, shared by the messages that carry it. */
struct achi_bytes {
    uint32_t refs;
    uint32_t size;
    unsigned char data[];
};

struct ach_message {
    uint32_t refs;
    uint32_t answered; /* a request: somebody has */
    ach_header_t header;
    struct achi_bytes *bytes; /* NULL: no body */
    void *body;               /* the struct, once somebody asked for it */
    size_t body_size;         /* bytes of that */
    ach_budget_t *budget;     /* that counts the message until it is freed, or NULL */
    size_t counted;           /* bytes there */
    ach_queue_t *answers;     /* a request: where they go; NULL: nobody wants them */
};

/*
 * Have the answer of a request put into a queue. Before anybody else knows the message.
 * ACH_OVERFLOW: too many bytes of requests are under way for that queue.
 */
ach_status_t achi_message_expect(ach_message_t *m, ach_queue_t *answers);

/* Whether the caller is the first to answer; nobody else may then. */
bool achi_message_claim(const ach_message_t *m);

/* Put an answer of these bytes into the request's queue; a NACK if the queue has no room for it. */
ach_status_t achi_message_answer(const ach_message_t *request, uint8_t type, double time,
                                 const ach_message_t *with);

#endif
