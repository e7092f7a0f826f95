/* SPDX-License-Identifier: BSD-3-Clause */
/* server.h - a server of a robot's devices over TCP */
#ifndef TCP_SERVER_H
#define TCP_SERVER_H

#include <ach/transport.h>

#include "loop.h"
#include "map.h"
#include "options.h"
#include "origin.h"
#include "stream.h"

/* A listening port, and the robot whose devices it serves. */
struct tcp_listener {
    struct tcp_peer peer;
    struct tcp_listener *next;
    struct tcp_server *server;
    uint32_t robot; /* as in addresses of the device table: 0 is the robot itself */
    uint16_t port;
};

struct tcp_server {
    ach_robot_t *robot;
    struct tcp_options options;
    struct tcp_origins origins;
    struct tcp_loop *loop;
    const struct tls_library *tls; /* NULL: no TLS */
    struct tls_context *keys;
    struct tcp_listener *listeners; /* the robot's own first */
    struct tcp_session *sessions;   /* the newest first */
    struct tcp_account *accounts;
    struct tcp_session *strangers, **last_stranger; /* the oldest first */
    ach_budget_t *budget;                           /* memory held on behalf of clients */
    long scarce_since;          /* since when (seconds) memory has been scarce */
    struct tcp_session *maps;   /* sessions with a map to compress; the first is in work */
    struct tcp_packing packing; /* state for the first of them */
    int clients;
    int spare;            /* a descriptor to close when no others are left */
    bool paused;          /* a listener is: no descriptors or memory to accept or refuse clients */
    unsigned turned_away; /* rejected clients that are not logged yet */
    long told;            /* when they were last logged, in seconds */
    char why[256];        /* the last one was rejected */
    unsigned refusals;    /* clients whose first refusal is not logged yet */
    long refusal_told;    /* when a refusal was last logged, in seconds */
};

/* The robot number that clients see: 0 is the port of the robot itself. */
static inline uint32_t tcp_server_port(const struct tcp_server *server, uint32_t robot)
{
    return robot ? robot : server->listeners->port;
}

/* Whether clients must prove something before they may do anything. */
static inline bool tcp_server_is_guarded(const struct tcp_server *server)
{
    return *server->options.secret || server->keys;
}

/* Log, rate-limited, that a client was rejected, and why. */
void tcp_server_turn_away(struct tcp_server *server, const char *why);

/* Each tick: log the rejected clients that are not logged yet, if it is time. */
void tcp_server_tell_turned_away(struct tcp_server *server);

ach_status_t tcp_server_create(ach_robot_t *robot, const struct tcp_options *options,
                               struct tcp_server **server);
void tcp_server_destroy(struct tcp_server *server);

/* Read the keys again, and disconnect clients whose certificates are not valid any more. */
ach_status_t tcp_server_reload(struct tcp_server *server);

#endif
