/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * metrics.h - the figures of a daemon as text of Prometheus, format 0.0.4
 *
 * The text is made in small pieces, so that messages are relayed in between. Links may come and go
 * meanwhile: the text stays valid. A link has the smallest number that is free, so that a peer that
 * connects again and again does not make new time series.
 */
#ifndef RELAY_METRICS_H
#define RELAY_METRICS_H

#include <stdio.h>

#include "peer.h"

/* Where the next piece begins. All 0: at the beginning of the text. */
struct relay_metrics_place {
    unsigned family, link, flow;
    bool begun; /* the family's head was written */
};

/* Write a piece. False: it is the last one. */
bool relay_metrics_write(FILE *out, struct relay_metrics_place *p, const struct relay_peer *peers,
                         const struct relay_link *links, uint64_t now);

#endif
