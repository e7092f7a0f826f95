/* SPDX-License-Identifier: BSD-3-Clause */
/* server.h - who listens */
#ifndef ACHI_SERVER_H
#define ACHI_SERVER_H

#include <ach/transport.h>

#include "loop.h"
#include "map.h"
#include "options.h"
#include "origin.h"

/* A port, and the robot whose devices are met there. */
struct achi_listener {
    struct achi_peer peer;
    struct achi_listener *next;
    struct achi_server *server;
    uint32_t robot; /* as in addresses of the device table: 0 is the robot itself */
    uint16_t port;
};

struct achi_server {
    ach_robot_t *robot;
    struct achi_options options;
    struct achi_origins origins;
    struct achi_loop *loop;
    struct achi_listener *listeners; /* the robot's own first */
    struct achi_session *sessions;   /* the newest first */
    struct achi_account *accounts;
    struct achi_session *strangers, **last_stranger; /* the oldest first */
    ach_budget_t *budget;                            /* what clients make it hold */
    long scarce_since;           /* the second since which clients that hold much are watched */
    struct achi_session *maps;   /* whose maps are to be compressed, the first one now */
    struct achi_packing packing; /* of the first one */
    int clients;
    int spare;            /* a descriptor, for when there are no more */
    bool paused;          /* a listener is: there are not even descriptors to refuse clients */
    unsigned turned_away; /* clients that the log has not told of */
    long told;            /* when it did, in seconds */
    char why[256];        /* the last one */
    unsigned refusals;    /* clients whose first refusal the log has not told of */
    long refusal_told;    /* when it did, in seconds */
};

/* A device's robot as clients know it. */
uint32_t achi_server_port(const struct achi_server *server, uint32_t robot);

/* Have it look after its clients each second. */
void achi_server_tick(struct achi_server *server);

/* Have the log tell that a client was turned away, and why. */
void achi_server_turn_away(struct achi_server *server, const char *why);

/* Of a clock that nobody sets. */
long achi_server_seconds(void);

ach_status_t achi_server_create(ach_robot_t *robot, const struct achi_options *options,
                                struct achi_server **server);
void achi_server_destroy(struct achi_server *server);

#endif
