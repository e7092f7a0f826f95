/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ledger.h - what one reader has seen of each writer
 *
 * A small message carries only the low bits of its counter. So for each writer
 * the ledger keeps a lower bound of its last counter, and how many further
 * messages it may have put that this reader missed (slack).
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "check.h"
#include "pattern.h"

struct ledger {
    uint64_t last[PATTERN_WRITERS];
    uint64_t slack[PATTERN_WRITERS];
    uint64_t got[PATTERN_WRITERS];
    uint64_t seq; /* of the last message */
    uint64_t checked;
    uint64_t spoiled; /* views that a writer overwrote */
    uint64_t missed;
};

static inline void ledger_gap(struct ledger *l, uint64_t n)
{
    unsigned i;

    for (i = 0; i < PATTERN_WRITERS; i++)
        l->slack[i] += n;
}

/* The handle has moved to another message: sequence, misses and status must agree. */
static inline bool ledger_move(struct ledger *l, ach_channel_t *chan, enum ach_status status)
{
    uint64_t seq = 0, last = 0, total = 0;

    CHECK_OK(ach_channel_seq(chan, &seq));
    CHECK_OK(ach_channel_missed(chan, &last, &total));
    if (seq == l->seq)
        return false;
    CHECK(seq > l->seq && seq - l->seq - 1 == last);
    CHECK((status == ACH_MISSED_FRAME) == (last != 0));
    l->missed += last;
    CHECK(total == l->missed);
    l->seq = seq;
    ledger_gap(l, last);
    return true;
}

/* Check a message and its place in the order of its writer. */
static inline void ledger_enter(struct ledger *l, const unsigned char *buf, size_t size)
{
    unsigned writer, bits = pattern_bits(size);
    uint64_t low, counter, period = 1ull << bits;

    if (!CHECK(pattern_check(buf, size, &writer, &low)))
        return;
    /* The smallest counter after the last one that ends in these bits. */
    counter = (l->last[writer] & ~(period - 1)) | low;
    if (counter <= l->last[writer])
        counter += period;
    if (!CHECK(counter - l->last[writer] - 1 <= l->slack[writer]))
        fprintf(stderr, "writer %u: %llu after %llu, %llu missed at most, size %zu\n", writer,
                (unsigned long long)counter, (unsigned long long)l->last[writer],
                (unsigned long long)l->slack[writer], size);
    l->slack[writer] -= counter - l->last[writer] - 1;
    if (bits > 32)
        l->slack[writer] = 0;
    l->last[writer] = counter;
    l->got[writer]++;
    l->checked++;
}

/* The same message again. */
static inline void ledger_again(const unsigned char *buf, size_t size)
{
    unsigned writer;
    uint64_t low;

    CHECK(pattern_check(buf, size, &writer, &low));
}

/* At the end: the messages put but not got are exactly those missed, and the spoiled views. */
static inline void ledger_close(const struct ledger *l, const uint64_t *put, unsigned writers)
{
    uint64_t total = 0, lost = 0;
    unsigned i;

    for (i = 0; i < writers; i++) {
        total += put[i];
        lost += put[i] - l->got[i];
        CHECK(l->last[i] <= put[i]);
    }
    CHECK(l->seq == total);
    CHECK(lost == l->missed + l->spoiled);
}

#endif
