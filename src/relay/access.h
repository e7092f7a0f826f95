/* SPDX-License-Identifier: BSD-3-Clause */
/* access.h - which peers may read and write which channels of this host */
#ifndef RELAY_ACCESS_H
#define RELAY_ACCESS_H

#include <stdbool.h>

#include "wire.h"

/* Peers without TLS. No certificate can have this name. */
#define RELAY_ACCESS_PLAIN "@plain"

/* One line of a list. Names are patterns, as in a shell. */
struct relay_rule {
    struct relay_rule *next;
    bool read, write;
    char peer[RELAY_WIRE_TEXT], channel[RELAY_WIRE_TEXT];
};

/*
 * Add "PEER read|write|both PATTERN...", which is cut into words. False: ach_errstr says what is
 * wrong with it.
 */
bool relay_access_add(struct relay_rule **rules, char *words);
void relay_access_finish(struct relay_rule **rules);

/* Whether there is a list for peers without a certificate. */
bool relay_access_lists_plain(const struct relay_rule *rules);

/*
 * peer: the name in its certificate; "": it has none. Peers with a certificate may do what is
 * listed. Peers without one may do everything, unless there is a list for them.
 */
bool relay_access_allows(const struct relay_rule *rules, const char *peer, bool write,
                         const char *channel);

#endif
