/* SPDX-License-Identifier: BSD-3-Clause */
#include "window.h"

#define FIRST_SIZE 8192u
#define SHORT_QUEUE 1024u
#define LONG_QUEUE 2048u
#define NOISE_NS 1000000u
#define INTERVAL_NS 5000000000u /* the shortest round trip is of the last one or two intervals */
#define CHUNKS 16u              /* of a window */

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void relay_window_init(struct relay_window *w, uint64_t max, uint64_t now)
{
    *w = (struct relay_window){.max = max, .since = now, .starting = true};
    w->size = less(FIRST_SIZE, max);
    w->shortest[0] = w->shortest[1] = w->round = UINT64_MAX;
}

uint64_t relay_window_room(const struct relay_window *w)
{
    uint64_t used = w->sent - w->acked;

    return used < w->size ? w->size - used : 0;
}

size_t relay_window_chunk(const struct relay_window *w)
{
    uint64_t chunk = w->size / CHUNKS;

    if (chunk < RELAY_CHUNK_MIN)
        return RELAY_CHUNK_MIN;
    return (size_t)less(chunk, RELAY_CHUNK_MAX);
}

static void window_shrink(struct relay_window *w, uint64_t bytes)
{
    w->starting = false;
    w->size = w->size > RELAY_WINDOW_MIN + bytes ? w->size - bytes : RELAY_WINDOW_MIN;
    w->size = less(w->size, w->max);
}

static void window_drain(struct relay_window *w)
{
    w->restore = w->size;
    window_shrink(w, w->size / 2);
    w->turn = w->sent + w->size;
}

static void window_measure(struct relay_window *w, uint64_t round_trip, uint64_t now)
{
    if (now - w->since > INTERVAL_NS) {
        w->shortest[0] = w->shortest[1];
        w->shortest[1] = UINT64_MAX;
        w->since = now;
        if (!w->starting)
            window_drain(w);
    }
    w->shortest[1] = less(w->shortest[1], round_trip);
    w->round = less(w->round, round_trip);
    w->last = round_trip;
}

/* A round has ended. A window that is not used says nothing about the network: it stays. */
static void window_turn(struct relay_window *w, bool used)
{
    uint64_t shortest = less(w->shortest[0], w->shortest[1]), wait = w->round - shortest;
    uint64_t queue = (uint64_t)((double)w->size * (double)wait / (double)w->round);

    if (wait < NOISE_NS || queue < SHORT_QUEUE) {
        if (used && !w->starting)
            w->size = less(w->size + relay_window_chunk(w), w->max);
    } else if (w->starting || queue > LONG_QUEUE) {
        window_shrink(w, w->starting ? queue : relay_window_chunk(w));
    }
}

/* Byte by byte with the acknowledgements, so that no burst is sent. */
static void window_open(struct relay_window *w, uint64_t bytes, bool used)
{
    uint64_t most = w->starting ? w->max : w->restore;

    if (most > w->size && used)
        w->size = less(w->size + bytes, most);
    else if (!w->starting)
        w->restore = 0;
}

bool relay_window_ack(struct relay_window *w, uint64_t consumed, uint64_t round_trip, uint64_t now)
{
    uint64_t bytes = consumed - w->acked;
    bool used = w->sent - w->acked >= w->size / 2;

    if (consumed < w->acked || consumed > w->sent)
        return false;
    w->acked = consumed;
    if (!round_trip)
        return true;
    window_measure(w, round_trip, now);
    if (consumed < w->turn) {
        if (w->starting)
            window_open(w, bytes, used);
        return true;
    }
    if (w->restore) {
        window_open(w, bytes, used);
        w->round = UINT64_MAX;
        return true;
    }
    window_turn(w, used);
    w->turn = w->sent;
    w->round = UINT64_MAX;
    return true;
}
