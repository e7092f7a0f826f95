/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenarios.c - what is measured
 *
 * The main ones have many rounds, because promises hang on them; the others
 * show how things grow.
 */
#include <stdlib.h>
#include <string.h>

#include "rows.h"

/* A row: name, what it is, rounds, rounds of libraries; how it waits, size, rate; the rest. */
#define ROW(name_, about_, rounds_, peers_, mode_, size_, rate_, ...)                              \
    .name = (name_), .about = (about_), .rounds = (rounds_), .peer_rounds = (peers_),              \
    .setting = {.mode = (mode_), .size = (size_), .rate_hz = (rate_), __VA_ARGS__}
#define ONE_TO_ONE .senders = 1, .receivers = 1, .hops = 1, .touch = true
#define FAN(senders_, receivers_)                                                                  \
    .senders = (senders_), .receivers = (receivers_), .hops = 1, .touch = true
#define CHAIN(hops_) .senders = 1, .receivers = 1, .hops = (hops_), .touch = true
#define UNTOUCHED .senders = 1, .receivers = 1, .hops = 1, .touch = false
#define RATE_SATURATED 0
#define SMALL 64u
#define KIB 1024u
#define MIB (1024u * 1024u)

const struct scenario scenarios[] = {
    {ROW("paced-1k", "1 kHz", 12, 10, MODE_BLOCK, SMALL, 1000, ONE_TO_ONE, .seconds = 0.25),
     .quick = true},
    {ROW("saturated", "the next one when the last is back", 12, 10, MODE_BLOCK, SMALL,
         RATE_SATURATED, ONE_TO_ONE, .seconds = 0.2),
     .quick = true},
    {ROW("spin", "receivers spin; the next one when the last is back", 12, 4, MODE_SPIN, SMALL,
         RATE_SATURATED, ONE_TO_ONE, .seconds = 0.2),
     .quick = true},
    {ROW("paced-8k", "8 kHz", 4, 2, MODE_BLOCK, SMALL, 8000, ONE_TO_ONE, .seconds = 0.2)},
    {ROW("poll", "receivers wait in poll, 1 kHz", 3, 2, MODE_POLL, SMALL, 1000, ONE_TO_ONE,
         .seconds = 0.2)},
    {ROW("poll-saturated", "receivers wait in poll; the next one when the last is back", 12, 4,
         MODE_POLL, SMALL, RATE_SATURATED, ONE_TO_ONE, .seconds = 0.2),
     .asked = true},
    {ROW("fifo", "real-time priority, 1 kHz", 4, 2, MODE_BLOCK, SMALL, 1000, ONE_TO_ONE,
         .fifo = true, .seconds = 0.2)},
    {ROW("receivers", "2 receivers, 1 kHz", 10, 2, MODE_BLOCK, SMALL, 1000, FAN(1, 2),
         .seconds = 0.2),
     .quick = true},
    {ROW("receivers", "4 receivers, 1 kHz", 10, 2, MODE_BLOCK, SMALL, 1000, FAN(1, 4),
         .seconds = 0.2)},
    {ROW("receivers", "16 receivers, 1 kHz", 10, 1, MODE_BLOCK, SMALL, 1000, FAN(1, 16),
         .seconds = 0.2)},
    {ROW("receivers-1k", "2 receivers, 1 kHz, and no more", 10, 2, MODE_BLOCK, SMALL, 1000,
         FAN(1, 2), .seconds = 0.2),
     .asked = true},
    {ROW("receivers-8k", "2 receivers, 8 kHz", 2, 1, MODE_BLOCK, SMALL, 8000, FAN(1, 2),
         .seconds = 0.2)},
    {ROW("senders", "2 senders, 1 kHz each", 3, 2, MODE_BLOCK, SMALL, 1000, FAN(2, 1),
         .seconds = 0.2)},
    {ROW("senders", "4 senders, 1 kHz each", 3, 2, MODE_BLOCK, SMALL, 1000, FAN(4, 1),
         .seconds = 0.2)},
    {ROW("sizes", "the next one when the last is back", 3, 2, MODE_BLOCK, 8, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 0.1)},
    {ROW("sizes", "the next one when the last is back", 3, 2, MODE_BLOCK, KIB, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 0.1)},
    {ROW("sizes", "the next one when the last is back", 3, 2, MODE_BLOCK, 16 * KIB, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 0.3)},
    {ROW("sizes", "the next one when the last is back", 3, 2, MODE_BLOCK, 64 * KIB, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 0.5)},
    {ROW("sizes", "the next one when the last is back", 5, 2, MODE_BLOCK, MIB, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 2),
     .quick = true},
    {ROW("sizes", "the next one when the last is back", 3, 2, MODE_BLOCK, 4 * MIB, RATE_SATURATED,
         ONE_TO_ONE, .seconds = 2)},
    {ROW("untouched", "in place, payload not touched", 6, 3, MODE_BLOCK, SMALL, RATE_SATURATED,
         UNTOUCHED, .seconds = 0.1),
     .in_place = true, .quick = true},
    {ROW("untouched", "in place, payload not touched", 6, 3, MODE_BLOCK, MIB, RATE_SATURATED,
         UNTOUCHED, .seconds = 2),
     .in_place = true, .quick = true},
    {ROW("hops", "1 hop, 500 Hz", 2, 1, MODE_BLOCK, SMALL, 500, CHAIN(1), .seconds = 0.2)},
    {ROW("hops", "2 hops, 500 Hz", 2, 1, MODE_BLOCK, SMALL, 500, CHAIN(2), .seconds = 0.2)},
    {ROW("hops", "4 hops, 500 Hz", 2, 1, MODE_BLOCK, SMALL, 500, CHAIN(4), .seconds = 0.2)},
    {ROW("hops", "8 hops, 500 Hz", 2, 1, MODE_BLOCK, SMALL, 500, CHAIN(8), .seconds = 0.2)},
    {ROW("hops", "16 hops, 500 Hz", 2, 1, MODE_BLOCK, SMALL, 500, CHAIN(16), .seconds = 0.2)},
};

const unsigned scenario_count = sizeof(scenarios) / sizeof(scenarios[0]);

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double rows_ratio(const double *a, const double *b)
{
    double ratios[ROUNDS_MAX];
    unsigned i, n = 0;

    for (i = 0; i < ROUNDS_MAX; i++)
        if (a[i] > 0 && b[i] > 0)
            ratios[n++] = a[i] / b[i];
    if (n == 0)
        return 0;
    qsort(ratios, n, sizeof(ratios[0]), by_value);
    return n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
}

const struct row *rows_find(const struct rows *rows, const char *scenario, const char *contender)
{
    unsigned i;

    for (i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].scenario->name, scenario) == 0 &&
            strcmp(rows->row[i].c->name, contender) == 0)
            return &rows->row[i];
    return NULL;
}

const char *rows_floor(enum mode mode)
{
    return mode == MODE_SPIN ? "cache line" : "futex";
}
