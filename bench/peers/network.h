/* SPDX-License-Identifier: BSD-3-Clause */
/* network.h - a network that nobody else is on */
#ifndef PEERS_NETWORK_H
#define PEERS_NETWORK_H

#include <stdbool.h>

/*
 * Leave the machine's network for one with nothing but a loopback interface,
 * which also takes multicast. False, and nothing changed: not permitted.
 */
bool network_leave(void);

#endif
