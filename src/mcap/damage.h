/* SPDX-License-Identifier: BSD-3-Clause */
/* damage.h - records that were damaged and read over */
#ifndef MCAP_DAMAGE_H
#define MCAP_DAMAGE_H

#include "fault.h"

struct mcap_damage {
    uint64_t count;          /* of records */
    uint64_t undefined;      /* of them, chunks whose messages have unknown channels */
    struct mcap_fault first; /* where and why */
};

/* A record is damaged; what is its kind. */
void mcap_damage_add(struct mcap_damage *d, const char *what, uint64_t offset, const char *why);

/* Replaces the sentence; returns MCAP_BAD. */
enum mcap_result mcap_damage_say(const struct mcap_damage *d, struct mcap_fault *f);

#endif
