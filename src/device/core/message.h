/* SPDX-License-Identifier: BSD-3-Clause */
/* message.h - struct ach_message, and requests with their answers */
#ifndef DEV_MESSAGE_H
#define DEV_MESSAGE_H

#include <ach/interface/common.h>
#include <ach/transport.h>

/* An encoded body, shared by the messages that carry it. */
struct dev_bytes {
    uint32_t refs;
    uint32_t size;
    unsigned char data[];
};

struct ach_message {
    uint32_t refs;
    uint32_t answered; /* a request: 1 once dev_message_claim has claimed it */
    ach_header_t header;
    struct dev_bytes *bytes; /* NULL: no body */
    void *body;              /* the decoded struct; NULL until ach_message_body decodes it */
    size_t body_size;        /* bytes of the struct */
    ach_budget_t *budget;    /* counts the message until it is freed; or NULL */
    size_t counted;          /* bytes charged to the budget */
    ach_queue_t *answers;    /* for the answer; counts a command that is not handled; or NULL */
};

/* Free a message that has no references and owes no answer. */
void dev_message_free(ach_message_t *m);

/* Whether it asks to be told when the driver has handled the commands before it. */
static inline bool dev_message_is_flush(const ach_message_t *m)
{
    return m->header.type == ACH_MSG_REQ && m->header.subtype == ACH_REQ_FLUSH;
}

/*
 * Set the queue for the answer of a request. Call it before the message is shared.
 * ACH_OVERFLOW: too many bytes of pending requests for that queue.
 */
ach_status_t dev_message_expect(ach_message_t *m, ach_queue_t *answers);

/* Set the queue that counts a command if it is not handled. Call it before it is shared. */
void dev_message_sent_by(ach_message_t *m, ach_queue_t *sender);

/* What became of an accepted command; once for each. @why: it was not handled; NULL: it was. */
void dev_message_settle(const ach_message_t *m, const char *why);

/* True: the caller is the first to claim the request, and the only one that may answer it. */
bool dev_message_claim(const ach_message_t *m);

/*
 * Push an answer with the body of @with (or NULL) to the request's queue; a NACK if it is full. The
 * answer to a flush has what the queue counts as its body, or no body if it counts nothing.
 */
ach_status_t dev_message_answer(const ach_message_t *request, uint8_t type, double time,
                                const ach_message_t *with);

#endif
