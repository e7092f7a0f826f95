/* SPDX-License-Identifier: BSD-3-Clause */
#include "window.h"

#include <string.h>

#define NS 1000000000.0
#define FIRST_SIZE 14600u       /* ten segments, as TCP begins */
#define QUEUE 1536u             /* bytes */
#define NOISE_NS 1000000u       /* of scheduling: a shorter wait is no queue */
#define CHUNK_NS 250000u        /* the time that a frame takes on a fast network */
#define PROBE_NS 100000000u     /* between two round trips that count */
#define INTERVAL_NS 5000000000u /* the link is emptied so often, or after this number of windows */
#define INTERVAL_WINDOWS 32u
#define SAMPLES 8u        /* of a round */
#define URGENT_LEAST 256u /* no smaller parts of urgent messages */

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t more(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes that a rate carries in a time. */
static uint64_t carried(uint64_t rate, uint64_t ns)
{
    return (uint64_t)((double)rate * (double)ns / NS);
}

static uint64_t rate_of(uint64_t bytes, uint64_t ns)
{
    return (uint64_t)((double)bytes * NS / (double)ns);
}

static void round_begin(struct relay_window *w, uint64_t received)
{
    w->round.end = w->sent;
    w->round.size = w->size;
    w->round.acked = w->acked;
    w->round.received = received;
    w->round.samples = 0;
    w->round.least = UINT64_MAX;
    w->round.idle = w->round.full = false;
}

void relay_window_init(struct relay_window *w, uint64_t max, uint64_t now)
{
    *w = (struct relay_window){.max = max, .emptied = now, .starting = true};
    w->size = less(FIRST_SIZE, max);
    round_begin(w, 0);
}

static uint64_t window_rate(const struct relay_window *w)
{
    uint64_t rate = 0;
    unsigned i;

    for (i = 0; i < RELAY_WINDOW_RATES; i++)
        rate = more(rate, w->rates[i]);
    return rate;
}

/* What the link holds if it is used fully and its queue is empty. */
static uint64_t window_link(const struct relay_window *w)
{
    return carried(window_rate(w), w->trip);
}

/* The same at the rate of two frames that were sent at once. */
static uint64_t window_most(const struct relay_window *w)
{
    return w->pair ? carried(w->pair, w->trip) : w->max;
}

static uint64_t window_queue(const struct relay_window *w)
{
    return more(QUEUE, carried(window_rate(w), NOISE_NS));
}

/* Parts of a message may be sent ahead of the pace, but its first one would only wait. */
static uint64_t window_paced(const struct relay_window *w, enum relay_part part)
{
    uint64_t ahead = NOISE_NS;

    if (part == RELAY_PART_NEXT)
        ahead = more(ahead, (uint64_t)((double)w->trip * QUEUE / (double)w->size));
    return w->next > ahead ? w->next - ahead : 0;
}

uint64_t relay_window_due(const struct relay_window *w, enum relay_part part, uint64_t now)
{
    uint64_t due = window_paced(w, part);

    return part != RELAY_PART_URGENT && w->sent - w->acked < w->size && due > now ? due : 0;
}

/* Is it time to empty the link? A message that has begun is interrupted only if it must be. */
static bool window_drains(const struct relay_window *w, enum relay_part part, uint64_t now)
{
    if (part == RELAY_PART_NEXT)
        return now - w->emptied > 2ull * INTERVAL_NS;
    return now - w->emptied > INTERVAL_NS || w->sent - w->emptied_sent > INTERVAL_WINDOWS * w->size;
}

/* Must this part wait until bytes before it have arrived? */
static bool window_waits(const struct relay_window *w, enum relay_part part, uint64_t now)
{
    if (w->acked >= w->bulk || w->starting || !w->limits || w->round.idle)
        return false;
    if (window_drains(w, part, now))
        return true;
    return part == RELAY_PART_FIRST &&
           w->sent - w->acked + relay_window_chunk(w) > window_link(w) + window_queue(w) - QUEUE;
}

uint64_t relay_window_room(const struct relay_window *w, enum relay_part part, uint64_t now)
{
    uint64_t used = w->sent - w->acked, size = w->size, least = relay_window_chunk(w);

    if (part == RELAY_PART_URGENT) {
        size = less(size + RELAY_WINDOW_URGENT, w->max);
        least = URGENT_LEAST;
    } else if (window_paced(w, part) > now || window_waits(w, part, now)) {
        return 0;
    }
    return used + least <= size ? size - used : 0;
}

void relay_window_sent(struct relay_window *w, enum relay_part part, uint64_t bytes, uint64_t now)
{
    bool empty = w->acked >= w->bulk;

    w->sent += bytes;
    w->next = more(w->next, now) + (uint64_t)((double)w->trip * (double)bytes / (double)w->size);
    if (part == RELAY_PART_URGENT)
        return;
    w->bulk = w->sent;
    if (!empty)
        return;
    if (!w->trip || now - w->probed > PROBE_NS) {
        w->probe = w->sent;
        w->probed = now;
    }
    w->emptied = now;
    w->emptied_sent = w->sent;
}

void relay_window_idle(struct relay_window *w)
{
    w->round.idle = true;
}

size_t relay_window_chunk(const struct relay_window *w)
{
    uint64_t rate = window_rate(w);

    if (w->starting && w->trip)
        rate = more(rate, rate_of(w->size, w->trip));
    rate = less(carried(rate, CHUNK_NS), w->size / 2);
    return (size_t)less(more(rate, RELAY_CHUNK_MIN), RELAY_CHUNK_MAX);
}

static void window_resize(struct relay_window *w, uint64_t size)
{
    w->size = less(more(size, RELAY_WINDOW_MIN), w->max);
}

/* A frame that was sent into the empty link has arrived. */
static void window_probe(struct relay_window *w, uint64_t round_trip)
{
    uint64_t sorted[RELAY_WINDOW_TRIPS] = {0};
    unsigned i, k, n;

    w->probe = 0;
    w->trips[w->n_trips++ % RELAY_WINDOW_TRIPS] = round_trip;
    n = w->n_trips < RELAY_WINDOW_TRIPS ? w->n_trips : RELAY_WINDOW_TRIPS;
    for (i = 0; i < n; i++) {
        for (k = i; k > 0 && sorted[k - 1] > w->trips[i]; k--)
            sorted[k] = sorted[k - 1];
        sorted[k] = w->trips[i];
    }
    w->trip = sorted[(n - 1) / 2];
}

/* Two frames that were sent at once arrive at the rate of the link. */
static void window_pair(struct relay_window *w, const struct relay_ack *a)
{
    const struct relay_ack *b = &w->before;
    uint64_t apart = a->received - b->received, rate;

    if (b->consumed && a->received > b->received && a->echo >= b->echo &&
        a->echo - b->echo < apart / 8) {
        rate = rate_of(a->consumed - b->consumed, apart);
        w->pair = w->pair ? (7 * w->pair + less(rate, 2 * w->pair)) / 8 : rate;
    }
    w->before = *a;
}

/* The queue that a round trip tells. */
static uint64_t queue_seen(const struct relay_window *w, uint64_t round_trip)
{
    if (round_trip < w->trip + NOISE_NS)
        return 0;
    return (uint64_t)((double)w->size * (double)(round_trip - w->trip) / (double)round_trip);
}

/* used: the window was at least half full. */
static void window_start(struct relay_window *w, uint64_t bytes, bool used)
{
    uint64_t queue, most = window_most(w) + QUEUE;

    if (used)
        window_resize(w, less(less(w->size + bytes, 2 * w->round.size), more(w->size, most)));
    w->starting = w->size < most;
    if (w->round.samples % SAMPLES)
        return;
    queue = queue_seen(w, w->round.least);
    w->round.least = UINT64_MAX;
    if (queue <= window_queue(w))
        return;
    w->starting = false;
    window_resize(w, w->size - queue + window_queue(w));
}

/* While a larger window increases the rate, it grows faster and faster. */
static void window_measure(struct relay_window *w, uint64_t received)
{
    uint64_t before = window_rate(w);
    uint64_t rate = rate_of(w->acked - w->round.acked, received - w->round.received);

    w->limits = !w->round.idle;
    if (w->limits || rate > before)
        w->rates[w->n_rates++ % RELAY_WINDOW_RATES] = rate;
    w->step = w->limits && rate > before + before / 32 ? more(2 * w->step, QUEUE) : 0;
}

static void window_follow(struct relay_window *w)
{
    uint64_t link = window_link(w), most = window_most(w);

    window_resize(w, link + window_queue(w) + (most > link ? less(w->step, most - link) : 0));
}

bool relay_window_ack(struct relay_window *w, const struct relay_ack *a, uint64_t round_trip)
{
    uint64_t bytes = a->consumed - w->acked;
    bool used = w->sent - w->acked >= w->size / 2;

    if (a->consumed < w->acked || a->consumed > w->sent)
        return false;
    w->acked = a->consumed;
    if (!round_trip)
        return true;
    w->last = round_trip;
    w->round.full |= used;
    if (w->probe && w->acked >= w->probe)
        window_probe(w, round_trip);
    if (!w->trip)
        return true;
    w->round.least = less(w->round.least, round_trip);
    w->round.samples++;
    window_pair(w, a);
    if (w->starting)
        window_start(w, bytes, used);
    if (w->acked < w->round.end || w->round.samples < SAMPLES ||
        a->received < w->round.received + NOISE_NS)
        return true;
    window_measure(w, a->received);
    if (w->limits && !w->starting)
        window_follow(w);
    else if (!w->starting && w->round.full)
        window_resize(w, less(w->size + QUEUE, more(w->size, window_most(w) + QUEUE)));
    round_begin(w, a->received);
    return true;
}

void relay_window_lost(struct relay_window *w)
{
    unsigned i;

    for (i = 0; i < RELAY_WINDOW_RATES; i++)
        w->rates[i] /= 2;
    w->pair /= 2;
    w->starting = false;
    window_resize(w, w->size / 2);
}
