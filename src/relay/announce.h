/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * announce.h - tell the network about a daemon and its advertised channels
 *
 * A child process does it, which executes the same program again. So D-Bus and Avahi run neither in
 * the process that talks to peers, nor with a copy of its keys. The child ends when its end of a
 * pipe says that the daemon has ended; avahi-daemon then withdraws what the child has advertised.
 */
#ifndef RELAY_ANNOUNCE_H
#define RELAY_ANNOUNCE_H

#include <stdbool.h>

struct relay_announce {
    const char *version, *host, *transport; /* see records.h */
    const char *pattern; /* channels to advertise besides those of `ach adv`; NULL: none */
    int listener;        /* the socket where the daemon listens */
    unsigned port;
    int level;       /* of the log */
    bool system_log; /* write to the system's log */
};

/*
 * Start the process. It announces by mDNS if others can reach the listener, and always puts the
 * list of listing.h. A failure is logged.
 */
void relay_announce_start(const struct relay_announce *a);

/* For main: be that process, if the command line says so. Returns when the daemon has ended. */
bool relay_announce_main(int argc, char **argv);

#endif
