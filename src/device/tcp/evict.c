/* SPDX-License-Identifier: BSD-3-Clause */
#include "evict.h"

#include <ach.h>
#include <unistd.h>

/* Whether it is the account of the server's user, or of root. */
static bool is_master(const struct tcp_account *a)
{
    return a->origin.local && a->origin.uid != ACH_UID_UNKNOWN &&
           (a->origin.uid == 0 || a->origin.uid == geteuid());
}

/* Checked once a second for each account, because it reads the permissions of files. */
static bool is_rightless(const struct tcp_session *s)
{
    struct tcp_account *a = s->account;
    long now = tcp_loop_seconds();

    if (a->judged != now)
        a->rightless = tcp_rights_limited(s) && !(tcp_rights_of(s, NULL) & ACH_RIGHT_LIST);
    a->judged = now;
    return a->rightless && !tcp_subscription_any(s);
}

static bool is_silent(const struct tcp_session *s)
{
    return s->stranger_at;
}

/* server->sessions begins with the newest. */
static struct tcp_session *find_rightless(const struct tcp_server *server,
                                          const struct tcp_session *newcomer)
{
    struct tcp_session *s, *oldest = NULL;

    for (s = server->sessions; s; s = s->next)
        if (s != newcomer && is_rightless(s))
            oldest = s;
    return oldest;
}

static struct tcp_session *find_silent(const struct tcp_account *a,
                                       const struct tcp_session *newcomer)
{
    struct tcp_session *s = newcomer->server->strangers;

    while (s && (s == newcomer || s->account != a))
        s = s->next_stranger;
    return s;
}

static struct tcp_session *find_newest(const struct tcp_account *a, struct tcp_session *newcomer)
{
    struct tcp_session *s = newcomer->server->sessions;

    while (s && (s == newcomer || s->account != a))
        s = s->next;
    return s ? s : newcomer;
}

/* The account with the most connections. @masters: include root's and the server's user's. */
static struct tcp_account *find_largest(const struct tcp_server *server, bool masters)
{
    struct tcp_account *a, *largest = NULL;

    for (a = server->accounts; a; a = a->next)
        if (a->clients > (largest ? largest->clients : 0) && (masters || !is_master(a)))
            largest = a;
    return largest;
}

static struct tcp_session *find_of_largest(struct tcp_session *newcomer)
{
    struct tcp_account *mine = newcomer->account, *most = find_largest(newcomer->server, true);
    struct tcp_session *s = find_silent(most, newcomer);
    bool fewer = most->clients > mine->clients;

    if (!s && !fewer && is_master(mine)) {
        most = find_largest(newcomer->server, false);
        fewer = most;
    }
    if (s)
        return s;
    return fewer ? find_newest(most, newcomer) : newcomer;
}

static struct tcp_session *choose(struct tcp_session *newcomer)
{
    struct tcp_session *s;

    if (tcp_server_is_guarded(newcomer->server))
        return newcomer->server->strangers;
    s = find_rightless(newcomer->server, newcomer);
    if (s)
        return s;
    return is_rightless(newcomer) ? newcomer : find_of_largest(newcomer);
}

static const char *why(const struct tcp_session *s)
{
    if (is_silent(s))
        return "no message of it was accepted, and another client needed its place";
    return is_rightless(s)
               ? "its user has no rights here, and another client needed its place"
               : "its user or machine has too many clients, and another client needed its place";
}

bool tcp_evict_find(struct tcp_session *newcomer)
{
    struct tcp_server *server = newcomer->server;
    struct tcp_session *s;

    if (server->clients <= server->options.clients_max)
        return true;
    s = choose(newcomer);
    if (s != newcomer)
        tcp_session_close(s, why(s));
    return s != newcomer;
}

void tcp_evict_make(struct tcp_server *server)
{
    if (server->strangers)
        tcp_session_close(server->strangers, why(server->strangers));
}
