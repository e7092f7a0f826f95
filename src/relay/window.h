/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.h - how many bytes may be on their way
 *
 * Bytes that wait in a queue of the network get old there. As in TCP Vegas, the round trip tells
 * how long that queue is: queue = window x (1 - shortest / present round trip). The present one is
 * the least of a round, so that bursts do not count. The window grows while the queue is short and
 * shrinks while it is long, by a chunk in a round; in the beginning it doubles, until a queue is
 * seen. Waits below a millisecond are noise of scheduling.
 *
 * A route may change, so the shortest round trip is forgotten after a while. A queue that never
 * drains would then count as part of the route, and the window would grow without end. So the
 * window is halved for about a round first.
 */
#ifndef RELAY_WINDOW_H
#define RELAY_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RELAY_WINDOW_MIN 3072u
#define RELAY_WINDOW_MAX 1048576u
#define RELAY_CHUNK_MIN 1024u
#define RELAY_CHUNK_MAX 65536u

struct relay_window {
    uint64_t size, max;
    uint64_t sent, acked;        /* bytes since the connection began */
    uint64_t shortest[2], since; /* round trips of the last interval, and of this one */
    uint64_t round, last;        /* round trips: the least of this round; the last */
    uint64_t turn;               /* the round ends when this byte is acknowledged */
    uint64_t restore;            /* the size to return to after the queue was drained; 0: none */
    bool starting;               /* doubles */
};

void relay_window_init(struct relay_window *w, uint64_t max, uint64_t now);

/* Bytes that may be sent now. */
uint64_t relay_window_room(const struct relay_window *w);

/* The size of one frame, so that a message of higher priority waits for little. */
size_t relay_window_chunk(const struct relay_window *w);

/* The peer has consumed so many bytes. round_trip 0: not known. False: more than were sent. */
bool relay_window_ack(struct relay_window *w, uint64_t consumed, uint64_t round_trip, uint64_t now);

#endif
