/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exporter.h - the figures of a daemon at http://127.0.0.1:PORT/metrics
 *
 * It serves in the loop of the daemon, a piece of the text in each turn. Any user of this host can
 * connect, so everything is bounded: the connections, the bytes of a request, and the time of an
 * exchange. Further connections wait in the kernel.
 */
#ifndef RELAY_EXPORTER_H
#define RELAY_EXPORTER_H

#include "http.h"
#include "metrics.h"

#define RELAY_EXPORTER_CLIENTS 8u

struct relay_exporter;

struct relay_exporter_client {
    struct relay_watch watch; /* must be first */
    struct relay_exporter *exporter;
    enum { CLIENT_FREE, CLIENT_ASKING, CLIENT_ANSWERED, CLIENT_ENDING } state;
    uint64_t deadline;
    char request[RELAY_HTTP_REQUEST_MAX];
    size_t got;

    char *text; /* the piece that is sent */
    size_t size, sent;
    bool more; /* pieces follow */
    struct relay_metrics_place place;
};

struct relay_exporter {
    struct relay_watch listener; /* must be first */
    struct relay_loop *loop;
    struct relay_peer *const *peers;
    struct relay_link *const *links;
    unsigned port;  /* 0: there is none */
    uint64_t retry; /* when to accept again after descriptors ran out; 0: nothing failed */
    struct relay_exporter_client clients[RELAY_EXPORTER_CLIENTS];
};

/* Listen at a port of loopback, 0: any. False: ach_errstr says why. Finish it also then. */
bool relay_exporter_init(struct relay_exporter *e, struct relay_loop *loop, unsigned port,
                         struct relay_peer *const *peers, struct relay_link *const *links);
void relay_exporter_finish(struct relay_exporter *e);

/* When relay_exporter_tick must be called, which ends exchanges that take too long. */
uint64_t relay_exporter_deadline(const struct relay_exporter *e);
void relay_exporter_tick(struct relay_exporter *e, uint64_t now);

#endif
