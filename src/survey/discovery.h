/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * discovery.h - channels and devices that machines in the network advertise
 *
 * Anybody in the network can advertise anything. What is reported is safe to print: names of
 * channels and devices have the form of such names, and other texts are printable. It need not be
 * true.
 */
#ifndef DISCOVERY_H
#define DISCOVERY_H

#include "mdns.h"

/* Reports of one search at most. */
#define DISCOVERY_MAX 65536u

enum discovered_kind {
    DISCOVERED_DAEMON, /* an achd; its channels are reported after it */
    DISCOVERED_CHANNEL,
    DISCOVERED_DEVICE,
};

struct discovered {
    enum discovered_kind kind;
    const char *name;   /* of the channel, or as laser:0; "" for an achd */
    const char *driver; /* of a device; "" otherwise */
    const char *server; /* the name of the service */
    const char *host, *address;
    uint16_t port;
    const char *transport; /* how messages travel, as tcp or tls */
    const char *peer;      /* with tls, the name of its certificate as NAME@; "" otherwise */
};

typedef void discovered_t(void *context, const struct discovered *d);

/* Copy what a terminal prints; other bytes become '?'. Returns the copy. */
#define DISCOVERY_TEXT 256
const char *discovery_clean(const char *text, char to[DISCOVERY_TEXT]);

/* Is it a name that a channel can have? */
bool discovery_is_channel(const char *name);

/* Report what the TXT records of a service say. */
void discovery_read(const struct mdns_found *service, discovered_t *report, void *context);

/* Search for services of the types, which NULL ends. Returns at the latest after the time. */
ach_status_t discovery_find(const char *const *types, double seconds, discovered_t *report,
                            void *context);

#endif
