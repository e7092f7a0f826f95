/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - what all connections of one user, or of one machine, do together
 *
 * Clients on this machine have the account of their user; others that of their address, or of its
 * first 64 bits with IPv6, as one machine has many of these. An account outlives its connections as
 * long as it has wrong secrets to its debit.
 *
 * All of it belongs to the loop's thread.
 */
#ifndef ACHI_ACCOUNT_H
#define ACHI_ACCOUNT_H

#include <netinet/in.h>

#include "origin.h"

struct achi_server;
struct achi_session;

struct achi_account {
    struct achi_account *next;
    struct achi_origin origin;
    struct in6_addr address; /* of a client elsewhere; zero for one of this machine */
    int clients;
    unsigned wrong;   /* secrets of late: one less each second */
    long wrong_since; /* the second up to which that is counted */
    bool rightless;   /* its user may not even list the devices */
    long judged;      /* the second in which that was found */
};

/* Enter a session, whose socket and origin are known. False: no memory. */
bool achi_account_enter(struct achi_session *s, int fd);

/* A session that may have no account. */
void achi_account_leave(struct achi_session *s);

/* Whether one more secret may be tried; if not, try again after a while. */
bool achi_account_may_guess(struct achi_account *a);
void achi_account_guessed_wrong(struct achi_account *a);

/* Forget accounts without connections. all: even if they have guessed wrong of late. */
void achi_accounts_forget(struct achi_server *server, bool all);

#endif
