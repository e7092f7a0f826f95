/* SPDX-License-Identifier: BSD-3-Clause */
/* replay_error.h - how late messages were played: a histogram, exact to 3 % */
#ifndef TOOLS_REPLAY_ERROR_H
#define TOOLS_REPLAY_ERROR_H

#include <stdint.h>

#define REPLAY_ERROR_PARTS 32u /* of each power of two */

/* Begin with all members 0. */
struct replay_error {
    uint64_t counts[64 * REPLAY_ERROR_PARTS];
    uint64_t n;
    int64_t max;
};

/* Nanoseconds between when a message was due and when it was played. */
void replay_error_add(struct replay_error *e, int64_t ns);

/* The error that this part of all messages does not exceed, for example 0.99. */
int64_t replay_error_at(const struct replay_error *e, double part);

#endif
