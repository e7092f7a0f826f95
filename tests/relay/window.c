/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * window.c - the window on simulated links
 *
 * A link is a queue that is emptied at a rate, and a delay. The sender always has something to
 * send. Time is simulated, so the result does not depend on this machine.
 */
#include "window.h"

#include "check.h"

#define FLIGHTS 4096u
#define SECONDS 120u
#define NS 1000000000u

struct flight {
    uint64_t bytes, sent, arrives; /* arrives: its acknowledgement, at the sender */
};

struct simulation {
    struct relay_window w;
    uint64_t now, rate, delay; /* bytes per second, nanoseconds */
    uint64_t free;             /* when the link has sent all that it holds */
    struct flight flights[FLIGHTS];
    uint64_t first, last;
    uint64_t queue_max, queue_sum, acks, delivered; /* after the first ten seconds */
};

static uint64_t queue_of(const struct simulation *s)
{
    return s->free > s->now ? (s->free - s->now) * s->rate / NS : 0;
}

static void send_frames(struct simulation *s)
{
    uint64_t room;

    while (s->last - s->first < FLIGHTS &&
           (room = relay_window_room(&s->w, RELAY_PART_NEXT, s->now)) > 0) {
        uint64_t n = relay_window_chunk(&s->w);

        if (n > room)
            n = room;
        if (s->free < s->now)
            s->free = s->now;
        s->free += n * NS / s->rate;
        s->flights[s->last++ % FLIGHTS] = (struct flight){n, s->now, s->free + s->delay};
        relay_window_sent(&s->w, RELAY_PART_NEXT, n, s->now);
        CHECK(s->w.sent - s->w.acked <= s->w.max);
    }
}

static void receive_ack(struct simulation *s)
{
    struct flight *f = &s->flights[s->first++ % FLIGHTS];
    struct relay_ack a = {s->w.acked + f->bytes, f->sent, f->arrives, f->arrives};

    s->now = f->arrives;
    REQUIRE(relay_window_ack(&s->w, &a, f->arrives - f->sent));
    if (s->now < 10ull * NS)
        return;
    s->delivered += f->bytes;
    s->queue_sum += queue_of(s);
    s->acks++;
    if (queue_of(s) > s->queue_max)
        s->queue_max = queue_of(s);
}

/* Until an acknowledgement comes, or the pace allows more bytes. */
static void next_event(struct simulation *s)
{
    uint64_t due = relay_window_due(&s->w, RELAY_PART_NEXT, s->now);
    uint64_t ack = s->first < s->last ? s->flights[s->first % FLIGHTS].arrives : UINT64_MAX;

    if (due && due < ack)
        s->now = due;
    else
        receive_ack(s);
}

/* The queue stays short, and the link is used well, for as long as one looks. */
static void check_link(uint64_t rate, uint64_t delay)
{
    static struct simulation s;
    uint64_t mean, noise = rate / 1000; /* bytes of a millisecond, which is not seen as a queue */
    double used;

    memset(&s, 0, sizeof(s));
    s.rate = rate;
    s.delay = delay;
    relay_window_init(&s.w, RELAY_WINDOW_MAX, 0);
    while (s.now < (uint64_t)SECONDS * NS) {
        send_frames(&s);
        next_event(&s);
    }
    used = (double)s.delivered / (double)(SECONDS - 10) / (double)rate;
    mean = s.queue_sum / s.acks;
    printf("%8.0f KB/s, %5.1f ms: queue mean %llu, max %llu bytes, %.0f %% used, window %llu\n",
           (double)rate / 1e3, (double)delay / 1e6, (unsigned long long)mean,
           (unsigned long long)s.queue_max, used * 100, (unsigned long long)s.w.size);
    CHECK(mean <= 3ull * RELAY_CHUNK_MIN + 2 * noise);
    CHECK(rate > 2000000 || s.queue_max <= 4ull * RELAY_CHUNK_MIN);
    CHECK(used > 0.9 || rate * (delay / 1000000) > 1000000000);
}

/* Acknowledgements that cannot be true are refused. */
static void check_lies(void)
{
    struct relay_window w;

    relay_window_init(&w, RELAY_WINDOW_MAX, 0);
    w.sent = 1000;
    CHECK(!relay_window_ack(&w, &(struct relay_ack){.consumed = 1001}, 1));
    CHECK(relay_window_ack(&w, &(struct relay_ack){.consumed = 900}, 1));
    CHECK(!relay_window_ack(&w, &(struct relay_ack){.consumed = 899}, 1));
    CHECK(relay_window_room(&w, RELAY_PART_NEXT, 0) == w.size - 100);
}

/* A first round trip that a stopped process made long is forgotten while small messages are sent. */
static void check_late(void)
{
    uint64_t now, trip = NS;
    struct relay_window w;

    relay_window_init(&w, RELAY_WINDOW_MAX, 0);
    for (now = NS; now < 4ull * NS; now += 10000000) {
        relay_window_sent(&w, RELAY_PART_FIRST, 100, now);
        REQUIRE(relay_window_ack(&w, &(struct relay_ack){w.sent, now, now + trip, now + trip}, trip));
        trip = 1000000;
    }
    CHECK(w.trip == trip);
}

int main(void)
{
    static const uint64_t rates[] = {20000, 200000, 2000000, 20000000},
                          delays[] = {1000000, 20000000, 200000000};
    unsigned i, k;

    for (i = 0; i < 4; i++)
        for (k = 0; k < 3; k++)
            check_link(rates[i], delays[k]);
    check_lies();
    check_late();
    return check_result();
}
