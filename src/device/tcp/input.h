/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input.h - messages out of a stream of bytes
 *
 * Complete messages are parsed in the receive buffer; only the rest of an incomplete
 * one is copied and kept. Memory grows with the bytes received, not
 * with the length that a header claims.
 *
 *     tcp_input_feed(in, bytes, n);
 *     while (tcp_input_next(in, &header, &body, &size) == ACH_OK)
 *         ...
 *     tcp_input_keep(in);
 */
#ifndef TCP_INPUT_H
#define TCP_INPUT_H

#include <ach/transport.h>

struct tcp_input {
    size_t limit;            /* of a body */
    ach_budget_t *budget;    /* charged with `room`; NULL: none */
    const unsigned char *at; /* not parsed yet: in the caller's bytes or in `kept` */
    size_t left;
    unsigned char *kept;
    size_t room;
};

void tcp_input_init(struct tcp_input *in, size_t limit);
void tcp_input_finish(struct tcp_input *in);

/* Add bytes, which must stay valid until tcp_input_keep. ACH_FAILED_SYSCALL: no memory. */
ach_status_t tcp_input_feed(struct tcp_input *in, const void *bytes, size_t n);

/*
 * ACH_OK: a message, valid until the next call; ACH_EAGAIN: it is not complete
 * yet; ACH_CORRUPT, ACH_OVERFLOW: a protocol error, described by ach_errstr.
 */
ach_status_t tcp_input_next(struct tcp_input *in, ach_header_t *h, const unsigned char **body,
                            size_t *size);

ach_status_t tcp_input_keep(struct tcp_input *in);

/* The header and body size of the next message; false: header incomplete or invalid. */
bool tcp_input_peek(const struct tcp_input *in, ach_header_t *h, uint32_t *size);

#endif
