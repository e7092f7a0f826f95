/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * call.h - the beginning of a conversation with a server elsewhere
 *
 * One question at a time, in the caller's thread, until a point in time.
 */
#ifndef ACHI_CALL_H
#define ACHI_CALL_H

#include <ach/transport.h>

#include "input.h"

/* What the server said to the secret. */
enum achi_secret { ACHI_SECRET_NONE, ACHI_SECRET_WRONG, ACHI_SECRET_RIGHT };

struct achi_call {
    int fd;
    double until; /* of the monotonic clock */
    bool late;    /* it was over when bytes were last received */
    char name[ACH_HOST_MAX + 16];
    struct achi_input input;
    unsigned char *buffer; /* what the input still looks at */
    char why[512];         /* what the server says of a refusal */
    unsigned rights;       /* ACH_RIGHT_ALL, unless the server says so, ... */
    char limits[512];      /* ... and why */
    enum achi_secret secret;

    /* For messages that are not the answer; NULL: they are dropped. */
    void (*other)(void *context, const ach_header_t *h, const unsigned char *body, size_t size);
    void *context;
};

/* Connect, and read the greeting. */
ach_status_t achi_call_begin(struct achi_call *c, const ach_place_t *place, double timeout);

/* Tell the secret if there is one. */
ach_status_t achi_call_introduce(struct achi_call *c);

/* Tell which route leads here, so that the server gives reasons; any other server ignores that. */
ach_status_t achi_call_tell_route(struct achi_call *c);

/* Send a request of the interface player. */
ach_status_t achi_call_ask(struct achi_call *c, uint8_t subtype, uint32_t sequence,
                           const void *bytes, size_t size);

/*
 * Wait for the answer: good until the next call. ACH_OK: an ACK; ACH_EACCES: a NACK;
 * ACH_TIMEOUT; ACH_CLOSED; ACH_CORRUPT.
 */
ach_status_t achi_call_answer(struct achi_call *c, uint8_t subtype, uint32_t sequence,
                              const unsigned char **body, size_t *size);

/* Both, with a struct of that request. */
ach_status_t achi_call_request(struct achi_call *c, uint8_t subtype, const void *body,
                               const unsigned char **answer, size_t *size);

/* Hang up, unless the socket was taken: then it is -1. */
void achi_call_end(struct achi_call *c);

#endif
