/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - state shared by all connections of one user, or of one machine
 *
 * A local client has the account of its user. A remote client has the account of its address; with
 * IPv6, of its first 64 bits, because one machine has many addresses. An account outlives its
 * connections while `wrong` is not zero.
 *
 * All functions are for the loop's thread.
 */
#ifndef TCP_ACCOUNT_H
#define TCP_ACCOUNT_H

#include <netinet/in.h>

#include "origin.h"

struct tcp_server;
struct tcp_session;

struct tcp_account {
    struct tcp_account *next;
    struct tcp_origin origin;
    struct in6_addr address; /* of a remote client; zero for a local one */
    int clients;
    unsigned wrong;   /* recent wrong secrets; decremented each second */
    long wrong_since; /* the second in which `wrong` was last updated */
    bool rightless;   /* its user may not even list the devices */
    long judged;      /* the second in which `rightless` was updated */
};

/* Set s->account, by socket and origin; creates it if needed. False: no memory. */
bool tcp_account_enter(struct tcp_session *s, int fd);

/* s->account may be NULL. */
void tcp_account_leave(struct tcp_session *s);

/* Whether another secret may be tried now; if not, retry about a second later. */
bool tcp_account_may_guess(struct tcp_account *a);
void tcp_account_guessed_wrong(struct tcp_account *a);

/* Free accounts without connections. @all: even those with recent wrong secrets. */
void tcp_accounts_forget(struct tcp_server *server, bool all);

#endif
