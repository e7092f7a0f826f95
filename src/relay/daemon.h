/* SPDX-License-Identifier: BSD-3-Clause */
/* daemon.h - peers, a listener and the loop that serves them */
#ifndef RELAY_DAEMON_H
#define RELAY_DAEMON_H

#include "exporter.h"
#include "link.h"
#include "peer.h"
#include "settings.h"
#include "status.h"

struct relay_daemon {
    struct relay_host host;
    struct relay_peer *peers;
    struct relay_link *links; /* that others have opened */
    unsigned n_links, port;
    int spare; /* a descriptor to refuse a connection with */
    struct relay_secure secure;
    char file[RELAY_PATH_MAX], keys[RELAY_PATH_MAX]; /* of the settings; "": none */
    uint64_t next_check;                             /* of all certificates */
    struct relay_watch listener, signals, directory;
    struct relay_status status;
    struct relay_exporter exporter;
    bool quit;
};

/* False after a message. Takes the lists from the settings. */
bool relay_daemon_init(struct relay_daemon *d, struct relay_settings *s);

/* Until SIGTERM or SIGINT. SIGHUP reads keys and lists again; without either it ends the daemon. */
void relay_daemon_run(struct relay_daemon *d);
void relay_daemon_finish(struct relay_daemon *d);

#endif
