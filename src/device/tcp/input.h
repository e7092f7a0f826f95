/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input.h - messages out of a stream of bytes
 *
 * Whole messages are looked at where they were received; only what is left of an
 * unfinished one is copied and kept. Memory grows with the bytes that came, not
 * with the length that a header claims.
 *
 *     achi_input_feed(in, bytes, n);
 *     while (achi_input_next(in, &header, &body, &size) == ACH_OK)
 *         ...
 *     achi_input_keep(in);
 */
#ifndef ACHI_INPUT_H
#define ACHI_INPUT_H

#include <ach/transport.h>

struct achi_input {
    size_t limit;            /* of a body */
    ach_budget_t *budget;    /* that counts what is kept; NULL: none */
    const unsigned char *at; /* not taken yet: in the caller's bytes or in ours */
    size_t left;
    unsigned char *kept;
    size_t room;
};

void achi_input_init(struct achi_input *in, size_t limit);
void achi_input_finish(struct achi_input *in);

/* More bytes, which must last until achi_input_keep. ACH_FAILED_SYSCALL: no memory. */
ach_status_t achi_input_feed(struct achi_input *in, const void *bytes, size_t n);

/*
 * ACH_OK: a message, which is good until the next call; ACH_EAGAIN: it is not all
 * here; ACH_CORRUPT, ACH_OVERFLOW: this is no conversation, with a sentence.
 */
ach_status_t achi_input_next(struct achi_input *in, ach_header_t *h, const unsigned char **body,
                             size_t *size);

ach_status_t achi_input_keep(struct achi_input *in);

/* The header of the next message, and its body's size; false: it is not all here, or wrong. */
bool achi_input_peek(const struct achi_input *in, ach_header_t *h, uint32_t *size);

#endif
