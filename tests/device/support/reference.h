/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reference.h - a TCP server that behaves as Player's own does, and worse
 *
 * It has every device, counts the commands that it takes, and answers requests with an ACK
 * that has the request's body and the sequence 0. It listens on loopback. Options say what
 * is wrong with it.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_options {
    bool slow;     /* receives some bytes every few milliseconds */
    bool deaf;     /* receives nothing once the client has subscribed */
    bool rude;     /* hangs up once the client has subscribed */
    unsigned hold; /* answers when that many requests have come, the highest subtypes first */
};

struct reference;

struct reference *reference_start(const struct reference_options *options);
uint16_t reference_port(const struct reference *r);

/* Commands that it has taken so far, of all clients. */
unsigned reference_commands(const struct reference *r);

/* Clients must be gone, or be about to go. */
void reference_end(struct reference *r);

#endif
