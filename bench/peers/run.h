/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - one run: fork the ends, send, receive, count
 *
 * Every end is a process (or, for contenders that live in one, a thread) with
 * a core chosen by its place. Messages that do not count go out until every
 * receiver has got one; then the run begins.
 *
 * A message's time goes from before its bytes are written to after they have
 * been checked. With a rate of 0 the next message goes out when the last has
 * come back, and half of that time counts.
 */
#ifndef PEERS_RUN_H
#define PEERS_RUN_H

#include <signal.h>
#include <stdint.h>

#include "../samples.h"
#include "contender.h"

#define RUN_HOPS_MAX 16u
#define RUN_FIFO_PRIORITY 50

struct setting {
    enum mode mode;
    size_t size;
    double rate_hz; /* of each sender; 0: as soon as the last one is back */
    unsigned senders, receivers;
    unsigned hops; /* links in a row; 1: nobody hands the message on */
    bool fifo;     /* real-time priority for all ends */
    bool touch;    /* write and check every byte, else the first eight */
    double seconds;
};

struct outcome {
    struct samples ns;
    uint64_t sent, lost; /* for each receiver */
    uint64_t reordered;  /* or came twice */
    uint64_t damaged;
    char why[WHY_SIZE]; /* it did not work; empty: it did */
};

/* Where ends run; -1: anywhere. */
void run_cpus(int sender, int receiver);

/* Set by a signal: end what runs, and run no more. */
extern volatile sig_atomic_t run_interrupted;

/* Can the contender do this at all? NULL, or why not. */
const char *run_possible(const struct contender *c, const struct setting *s);

/* What was measured is added to *out. */
void run(const struct contender *c, const struct setting *s, struct outcome *out);

#endif
