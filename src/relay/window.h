/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.h - how many bytes may be on their way
 *
 * Bytes that wait in a queue of the network get old there. A link that is used fully, and whose
 * queue is empty, holds rate x round trip. The window is that and a little more, so that the link
 * never waits for the sender:
 *
 *     window = rate x round trip + queue
 *
 * where the queue is 2 KiB, or what the link carries in a millisecond. The rate is measured where
 * the bytes arrive, in rounds that the window limits. Two frames that were sent at once tell how
 * much the link can carry: up to that the window doubles in the beginning. Bytes are sent at the
 * pace of one window in a round trip, so that no burst fills the queue.
 *
 * A message that begins waits until the queue is empty, because a newer one may come meanwhile.
 *
 * The round trip is that of a frame on an empty link: the median of the last ones, so that neither
 * a late process nor a luckily fast packet counts. The link is emptied now and then, before a
 * message begins, where it makes no message older. Only a message that takes longer than two
 * intervals is interrupted for that.
 */
#ifndef RELAY_WINDOW_H
#define RELAY_WINDOW_H

#include "wire.h"

#define RELAY_WINDOW_MIN 2048u
#define RELAY_WINDOW_MAX 1048576u
#define RELAY_CHUNK_MIN 1024u
#define RELAY_CHUNK_MAX 65536u

/* Bytes that urgent messages may exceed the window by. */
#define RELAY_WINDOW_URGENT 2048u

#define RELAY_WINDOW_RATES 3u
#define RELAY_WINDOW_TRIPS 5u

struct relay_window {
    uint64_t size, max;
    uint64_t sent, acked;               /* bytes since the connection began */
    uint64_t bulk;                      /* bytes until the last one that was not urgent */
    uint64_t last;                      /* round trip, of any frame */
    uint64_t trips[RELAY_WINDOW_TRIPS]; /* round trips on an empty link */
    unsigned n_trips;
    uint64_t trip;                      /* their median; 0: none */
    uint64_t probe;                     /* the last byte of the first frame on it; 0: none */
    uint64_t probed;                    /* when it was sent */
    uint64_t emptied, emptied_sent;     /* when, and after how many bytes it was empty */
    uint64_t rates[RELAY_WINDOW_RATES]; /* of the last rounds, bytes per second */
    unsigned n_rates;
    uint64_t pair;           /* the rate of two frames that were sent at once */
    struct relay_ack before; /* the last acknowledgement */
    uint64_t next;           /* when the bytes that were sent have left, by the pace */
    uint64_t step;           /* what the window grows by in addition */
    bool starting;           /* it doubles */
    bool limits;             /* it has limited the last round */

    struct {
        uint64_t end, size; /* the byte whose acknowledgement ends it, the window when it began */
        uint64_t acked, received;
        uint64_t samples, least;
        bool idle, full; /* there was not always a message to send; the window was half full */
    } round;
};

void relay_window_init(struct relay_window *w, uint64_t max, uint64_t now);

enum relay_part {
    RELAY_PART_FIRST, /* a message begins that is to be the newest */
    RELAY_PART_NEXT,
    RELAY_PART_URGENT /* less important messages wait: it is not to wait for their bytes */
};

/* Bytes that may be sent now. */
uint64_t relay_window_room(const struct relay_window *w, enum relay_part part, uint64_t now);

/* If there is no room: when there is some without an acknowledgement. 0: never. */
uint64_t relay_window_due(const struct relay_window *w, enum relay_part part, uint64_t now);

void relay_window_sent(struct relay_window *w, enum relay_part part, uint64_t bytes, uint64_t now);

/* There is room, but no message. */
void relay_window_idle(struct relay_window *w);

/* The size of one frame, so that a message of higher priority waits for little. */
size_t relay_window_chunk(const struct relay_window *w);

/* round_trip 0: not known. False: more was consumed than was sent. */
bool relay_window_ack(struct relay_window *w, const struct relay_ack *a, uint64_t round_trip);

/* Much was lost: halve it. */
void relay_window_lost(struct relay_window *w);

#endif
