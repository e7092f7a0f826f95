/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reference.h - a TCP server that behaves as Player's own, optionally with faults
 *
 * It has every device, counts the commands that it receives, and answers requests with an ACK
 * that has the request's body and the sequence 0. It listens on loopback. The options select
 * its faults.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

struct reference_options {
    bool slow;     /* receives at most 500 bytes every 2 ms */
    bool deaf;     /* receives nothing once the client has subscribed */
    bool rude;     /* hangs up once the client has subscribed */
    unsigned hold; /* answers once this many requests are pending, the highest subtypes first */
};

struct reference;

struct reference *reference_start(const struct reference_options *options);
uint16_t reference_port(const struct reference *r);

/* The number of commands received so far from all clients. */
unsigned reference_commands(const struct reference *r);

/* Waits until all clients have disconnected. */
void reference_end(struct reference *r);

#endif
