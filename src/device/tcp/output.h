/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * output.h - messages on their way into a socket
 *
 * A few at a time: the rest waits in the queue, where rules and limits apply. Bodies
 * are sent from where they are, shared with everybody else who sends them.
 */
#ifndef ACHI_OUTPUT_H
#define ACHI_OUTPUT_H

#include <ach/message.h>

#define ACHI_OUTPUT_MAX 16u
#define ACHI_OUTPUT_BYTES 262144u

struct achi_output {
    struct achi_frame {
        ach_message_t *message;
        unsigned char header[ACH_FRAME_HEADER];
    } frames[ACHI_OUTPUT_MAX];
    unsigned count;
    size_t bytes;   /* of all of them */
    size_t sent;    /* of the first */
    uint64_t total; /* bytes that were ever sent */
};

void achi_output_finish(struct achi_output *out);

static inline bool achi_output_full(const struct achi_output *out)
{
    return out->count == ACHI_OUTPUT_MAX || out->bytes >= ACHI_OUTPUT_BYTES;
}

/* There must be room. The message is taken over; its header is replaced. */
void achi_output_add(struct achi_output *out, const ach_header_t *header, ach_message_t *message);

/* ACH_OK: all is sent; ACH_EAGAIN: the socket is full; ACH_CLOSED: nobody is there. */
ach_status_t achi_output_send(struct achi_output *out, int fd);

#endif
