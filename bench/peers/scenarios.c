/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenarios.c - what is measured, and what we promise of channels
 *
 * The scenarios that promises are about have many rounds; the others show how
 * things grow.
 */
#include "peers.h"

#define KIB 1024u
#define MIB (1024u * 1024u)

/* A group, its rounds, those of libraries, and what its setting has besides the usual. */
#define SCENARIO(name_, about_, rounds_, peers_, ...)                                              \
    .name = (name_), .about = (about_), .rounds = (rounds_), .measure = links_measure,             \
    .in_process = true, .what = &(const struct scenario)                                           \
    {                                                                                              \
        .peer_rounds = (peers_), .setting = { __VA_ARGS__ }                                        \
    }
#define SLEEP .floor = "futex"
#define SPIN .floor = "cache line"
#define SATURATED .rate_hz = -1
#define BACK "the next one when the last is back"
#define SIZE(text, bytes, rounds, time)                                                            \
    SLEEP, .x = (bytes),                                                                           \
           SCENARIO("sizes", text ", " BACK, rounds, 2, SATURATED, .size = (bytes),                \
                    .seconds = (time))
#define UNTOUCHED(text, bytes, time)                                                               \
    .x = (bytes), .quick = true,                                                                   \
    SCENARIO("untouched", text " in place, payload not touched", 6, 3, SATURATED,                  \
             .untouched = true, .size = (bytes), .seconds = (time))
#define HOPS(text, n)                                                                              \
    SLEEP, .x = (n), SCENARIO("hops", text ", 500 Hz", 2, 1, .rate_hz = 500, .hops = (n))
#define RECEIVERS(n, peers)                                                                        \
    SLEEP, .x = (n), SCENARIO("receivers", #n " receivers, 1 kHz", 10, peers, .receivers = (n))
#define SENDERS(n)                                                                                 \
    SLEEP, .x = (n), SCENARIO("senders", #n " senders, 1 kHz each", 3, 2, .senders = (n))

const struct group scenarios[] = {
    {SLEEP, SCENARIO("paced-1k", "1 kHz", 12, 10, .seconds = 0.25), .quick = true, .lasting = true},
    {SLEEP, SCENARIO("saturated", BACK, 12, 10, SATURATED), .quick = true},
    {SPIN, SCENARIO("spin", "receivers spin; " BACK, 12, 4, SATURATED, .mode = MODE_SPIN),
     .quick = true},
    {SLEEP, SCENARIO("paced-8k", "8 kHz", 4, 2, .rate_hz = 8000)},
    {SLEEP, SCENARIO("poll", "receivers wait in poll, 1 kHz", 12, 2, .mode = MODE_POLL)},
    {SLEEP, SCENARIO("poll-saturated", "receivers wait in poll; " BACK, 12, 4, SATURATED,
                     .mode = MODE_POLL)},
    {SLEEP, SCENARIO("fifo", "real-time priority, 1 kHz", 4, 2, .fifo = true)},
    {RECEIVERS(2, 2), .quick = true, .lasting = true},
    {RECEIVERS(4, 2)},
    {RECEIVERS(16, 1)},
    {SLEEP, SCENARIO("receivers-1k", "2 receivers, 1 kHz, and no more", 10, 2, .receivers = 2),
     .asked = true},
    {SLEEP, SCENARIO("receivers-8k", "2 receivers, 8 kHz", 2, 1, .rate_hz = 8000, .receivers = 2)},
    {SENDERS(2)},
    {SENDERS(4)},
    {SIZE("8 B", 8, 3, 0.1)},
    {SIZE("1 KiB", KIB, 3, 0.1)},
    {SIZE("16 KiB", 16 * KIB, 3, 0.3)},
    {SIZE("64 KiB", 64 * KIB, 3, 0.5)},
    {SIZE("1 MiB", MIB, 5, 2), .quick = true},
    {SIZE("4 MiB", 4 * MIB, 3, 2)},
    {UNTOUCHED("64 B", SETTING_SIZE, 0.1)},
    {UNTOUCHED("1 MiB", MIB, 2)},
    {HOPS("1 hop", 1)},
    {HOPS("2 hops", 2)},
    {HOPS("4 hops", 4)},
    {HOPS("8 hops", 8)},
    {HOPS("16 hops", 16)},
    {.name = "stopped",
     .about = "the receiver is stopped for a second; age of the first message after it goes on",
     .unit = "ms",
     .measure = stopped_measure,
     .quick = true,
     .in_process = true},
};

const unsigned scenario_count = ARRAY_SIZE(scenarios);

const struct claim claims[] = {
    CLAIM("paced-1k", "ach", "library", AT_MOST, 1),
    CLAIM("paced-1k", "ach", "library", P99_AT_MOST, 1),
    CLAIM("paced-1k", "ach", "kernel", AT_MOST, 1.1),
    CLAIM("paced-1k", "ach", "futex", AT_MOST, 1.1),
    CLAIM("saturated", "ach", "library", AT_MOST, 1),
    CLAIM("saturated", "ach", "library", P99_AT_MOST, 1),
    CLAIM("saturated", "ach", "kernel", AT_MOST, 1.15),
    CLAIM("poll", "ach", "futex", AT_MOST, 1.5),
    CLAIM("poll-saturated", "ach", "futex", AT_MOST, 1.8),
    CLAIM("poll", "ach device", "pipe", AT_MOST, 1),
    CLAIM("poll-saturated", "ach device", "pipe", AT_MOST, 1),
    CLAIM("spin", "ach", "cache line", AT_MOST, 2),
    CLAIM("spin", "ach polled", "cache line", AT_MOST, 2),
    CLAIM("receivers", "ach", "futex", AT_MOST, 1.1),
    CLAIM("sizes", "ach", "library", AT_MOST, 1, .x = MIB),
    CLAIM("sizes", "ach", "kernel", AT_MOST, 1, .x = MIB),
    CLAIM("untouched", "ach in place", "ach in place", AT_MOST, 1.1, .x = MIB,
          .against_x = SETTING_SIZE),
    CLAIM("stopped", "ach newest", NULL, P50_BELOW, 5),
    {0},
};
