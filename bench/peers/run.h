/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run.h - one run: fork the ends, send, receive, count
 *
 * Every end is a process (or, for contenders that live in one, a thread) with
 * a core chosen by its place. Messages that do not count go out until every
 * receiver has got one; then the run begins.
 *
 * A message's time goes from before its bytes are written to after they have
 * been checked. Without a rate the next message goes out when the last has
 * come back, and half of that time counts.
 */
#ifndef PEERS_RUN_H
#define PEERS_RUN_H

#include "bench.h"
#include "contender.h"

#define RUN_HOPS_MAX 16u
#define RUN_FIFO_PRIORITY 50

#define SETTING_SIZE 64u /* of a message, unless the setting says more */

/* setting_complete puts the usual values in the place of zeros. */
struct setting {
    enum mode mode; /* usually MODE_BLOCK */
    size_t size;
    double rate_hz;              /* of each sender, usually 1000; -1: when the last one is back */
    unsigned senders, receivers; /* usually 1 */
    unsigned hops;               /* links in a row; usually 1: nobody hands the message on */
    bool fifo;                   /* real-time priority for all ends */
    bool untouched;              /* write and check the first eight bytes, not all; only contenders
                                    that copy nothing take part */
    double seconds;              /* usually 0.2 */
};

struct setting setting_complete(struct setting s);

/* Where ends run; -1: anywhere. */
void run_cpus(int sender, int receiver);

/* Can the contender do this at all? NULL, or why not. */
const char *run_possible(const struct contender *c, const struct setting *s);

/* What was measured is added to *out. */
void run(const struct contender *c, const struct setting *s, struct outcome *out);

#endif
