/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stopped.h - what a stopped receiver does to a sender, and finds when it goes on
 *
 * A sender posts 1 KiB ten thousand times a second. The receiver is stopped for
 * a second and continued.
 */
#ifndef PEERS_STOPPED_H
#define PEERS_STOPPED_H

#include "contender.h"

struct stopped {
    bool blocks; /* the sender stood still */
    double longest_send_ms;
    double first_age_ms;    /* of the first message that is received afterwards */
    const char *first;      /* "newest", "oldest" or "between" of those sent meanwhile */
    double newest_after_ms; /* from going on until a fresh message is received; < 0: never */
    unsigned long long lost;
    char why[WHY_SIZE];
};

void stopped_run(const struct contender *c, int sender_cpu, int receiver_cpu, struct stopped *out);

#endif
