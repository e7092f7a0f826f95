/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - messages being sent to a socket
 *
 * A few at a time: the rest waits in the queue, where rules and limits apply. Bodies
 * are not copied: messages are shared with all other senders.
 */
#ifndef TCP_OUTPUT_H
#define TCP_OUTPUT_H

#include <ach/message.h>

#include "stream.h"

#define TCP_OUTPUT_MAX 16u
#define TCP_OUTPUT_BYTES 262144u

struct tcp_output {
    struct tcp_frame {
        ach_message_t *message;
        unsigned char header[ACH_FRAME_HEADER];
    } frames[TCP_OUTPUT_MAX];
    unsigned count;
    size_t bytes;   /* of all of them */
    size_t sent;    /* bytes of the first frame that were sent */
    uint64_t total; /* bytes that were ever sent */
};

void tcp_output_finish(struct tcp_output *out);

static inline bool tcp_output_full(const struct tcp_output *out)
{
    return out->count == TCP_OUTPUT_MAX || out->bytes >= TCP_OUTPUT_BYTES;
}

/* It must not be full. Takes the caller's reference; @header replaces the message's header. */
void tcp_output_add(struct tcp_output *out, const ach_header_t *header, ach_message_t *message);

/* ACH_OK: all is sent; ACH_EAGAIN: the socket is full; ACH_CLOSED: the connection is lost. */
ach_status_t tcp_output_send(struct tcp_output *out, const struct tcp_stream *to);

#endif
