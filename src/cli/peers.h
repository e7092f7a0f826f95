/* SPDX-License-Identifier: BSD-3-Clause */
/* peers.h - channels of the hosts that achd is told to ask: its lines `peer HOST` */
#ifndef PEERS_H
#define PEERS_H

#include "discovery.h"

/*
 * Report the channels that these hosts advertise; as with discovery, they need not be true.
 * Complains about hosts that do not answer. Returns how many hosts there are.
 */
unsigned peers_find(discovered_t *report, void *context);

#endif
