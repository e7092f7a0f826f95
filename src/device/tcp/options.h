/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - options of a server */
#ifndef TCP_OPTIONS_H
#define TCP_OPTIONS_H

#include <ach/config.h>
#include <ach/interface/player.h>

struct tcp_options {
    char bind[64];                       /* the address to listen on */
    int port;                            /* 0: whatever is free */
    char secret[ACH_PLAYER_MAX_KEY + 1]; /* empty: none is required */
    char keys[1024];                     /* directory of keys for TLS; empty: no TLS */
    bool any_local_user;                 /* any local user may do everything */
    int clients_max;
    int queue;             /* messages that wait for a client */
    int message_max;       /* bytes of a message from a client */
    int subscriptions_max; /* of a client */
    int requests_max;      /* unanswered requests of a client before receiving stops */
    int linger;            /* seconds for clients to receive the rest when the server ends */
    int send_buffer;       /* SO_SNDBUF of a client's socket, in bytes */
    int client_memory;     /* bytes that the server holds for one client */
    int memory;            /* bytes that it holds for all clients */
};

/* @section: NULL: defaults. @bind, @directory: override the options bind and tls; NULL: do not. */
ach_status_t tcp_options_read(struct tcp_options *o, ach_section_t *section, int port,
                              const char *bind, const char *directory);

#endif
