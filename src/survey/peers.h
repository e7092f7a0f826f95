/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - channels of the hosts that achd is told to ask: its lines `peer HOST` */
#ifndef PEERS_H
#define PEERS_H

#include "discovery.h"

/* Called for a host that does not tell its channels, with the reason. */
typedef void peers_silent_t(void *context, const char *address, const char *port, const char *why);

/*
 * Report the channels that these hosts advertise; as with discovery, they need not be true.
 * all: those of each achd, whose user it is. Returns how many hosts there are.
 */
unsigned peers_find(bool all, discovered_t *report, peers_silent_t *silent, void *context);

#endif
