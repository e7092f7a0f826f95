/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - how a server is to be */
#ifndef ACHI_OPTIONS_H
#define ACHI_OPTIONS_H

#include <ach/config.h>
#include <ach/interface/player.h>

struct achi_options {
    char bind[64];                       /* the address to listen on */
    int port;                            /* 0: whatever is free */
    char secret[ACH_PLAYER_MAX_KEY + 1]; /* empty: none is asked for */
    bool any_local_user;                 /* may do everything */
    int clients_max;
    int queue;             /* messages that wait for a client */
    int message_max;       /* bytes of what a client sends */
    int subscriptions_max; /* of a client */
    int requests_max;      /* of a client, that are not answered yet; then it is not read */
    int linger;            /* seconds for clients to receive the rest when the server ends */
    int send_buffer;       /* bytes that wait in the system for a client */
    int client_memory;     /* bytes that a client makes the server hold */
    int memory;            /* bytes that all clients make it hold */
};

/* A NULL section: as usual. @bind: in place of its option; NULL: as that says. */
ach_status_t achi_options_read(struct achi_options *o, ach_section_t *section, int port,
                               const char *bind);

#endif
