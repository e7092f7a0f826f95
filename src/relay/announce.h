/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * announce.h - tell the network about a daemon and its advertised channels
 *
 * A child process does it. So D-Bus and Avahi run neither in the process that holds keys and talks
 * to peers, nor under its restrictions. The child ends when its end of a pipe says that the daemon
 * has ended; avahi-daemon then withdraws what the child has advertised.
 */
#ifndef RELAY_ANNOUNCE_H
#define RELAY_ANNOUNCE_H

#include <stdbool.h>

struct relay_announce {
    const char *version, *host, *transport; /* see records.h */
    const char *pattern; /* channels to advertise besides those of `ach adv`; NULL: none */
    int listener;        /* the socket where the daemon listens */
    unsigned port;
};

/*
 * Start the process. It announces by mDNS if others can reach the listener, and always puts the
 * list of listing.h. Call it before any channel is
 * open, and before the daemon gives up rights that the child needs. A failure is logged.
 */
void relay_announce_start(const struct relay_announce *a);

#endif
