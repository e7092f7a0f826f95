/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * handshake.h - the blocking first requests of a connection to a remote server
 *
 * One request at a time, in the caller's thread, until a deadline.
 */
#ifndef TCP_HANDSHAKE_H
#define TCP_HANDSHAKE_H

#include <ach/transport.h>

#include "input.h"
#include "stream.h"

/* How the server answered the secret. */
enum tcp_secret { TCP_SECRET_NONE, TCP_SECRET_WRONG, TCP_SECRET_RIGHT };

struct tcp_handshake {
    struct tcp_stream stream;
    double until; /* deadline, CLOCK_MONOTONIC */
    bool late;    /* the deadline had passed at the last receive */
    char name[ACH_HOST_MAX + 16];
    struct tcp_input input;
    unsigned char *buffer; /* received bytes, which `input` may point into */
    char why[512];         /* the server's reason for a refusal */
    unsigned rights;       /* ACH_RIGHT_ALL, unless the server limits them, ... */
    char limits[512];      /* ... and why */
    enum tcp_secret secret;

    /* Called for messages that are not the answer; NULL: they are dropped. */
    void (*other)(void *context, const ach_header_t *h, const unsigned char *body, size_t size);
    void *context;
};

/* Connect, begin TLS if it is wanted, and read the greeting. */
ach_status_t tcp_handshake_begin(struct tcp_handshake *c, const ach_place_t *place, bool tls,
                                 double timeout);

/* Send the secret in ACH_SECRET, if there is one. */
ach_status_t tcp_handshake_introduce(struct tcp_handshake *c);

/* Send ach_route(), so that the server gives reasons. Servers of other makes ignore it. */
ach_status_t tcp_handshake_tell_route(struct tcp_handshake *c);

/* Send a request of the interface player. */
ach_status_t tcp_handshake_ask(struct tcp_handshake *c, uint8_t subtype, uint32_t sequence,
                               const void *bytes, size_t size);

/*
 * Wait for the answer. *body is valid until the next call. ACH_OK: an ACK; ACH_EACCES: a NACK;
 * ACH_TIMEOUT; ACH_CLOSED; ACH_CORRUPT.
 */
ach_status_t tcp_handshake_answer(struct tcp_handshake *c, uint8_t subtype, uint32_t sequence,
                                  const unsigned char **body, size_t *size);

/* tcp_handshake_ask and tcp_handshake_answer, with a struct as the body. */
ach_status_t tcp_handshake_request(struct tcp_handshake *c, uint8_t subtype, const void *body,
                                   const unsigned char **answer, size_t *size);

/* Close the connection, unless the caller took it and set stream.fd to -1; free the rest. */
void tcp_handshake_end(struct tcp_handshake *c);

#endif
