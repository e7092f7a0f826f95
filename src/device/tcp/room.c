/* SPDX-License-Identifier: BSD-3-Clause */
#include "room.h"

#include <ach.h>
#include <unistd.h>

static bool has_secret(const struct achi_server *server)
{
    return *server->options.secret;
}

/* The user of the server, or root. */
static bool is_master(const struct achi_account *a)
{
    return a->origin.local && a->origin.uid != ACH_UID_UNKNOWN &&
           (a->origin.uid == 0 || a->origin.uid == geteuid());
}

/* Found once a second for each account: that looks at files. */
static bool is_rightless(const struct achi_session *s)
{
    struct achi_account *a = s->account;
    long now = achi_server_seconds();

    if (a->judged != now)
        a->rightless = achi_rights_limited(s) && !(achi_rights_of(s, NULL) & ACH_RIGHT_LIST);
    a->judged = now;
    return a->rightless && !achi_subscription_any(s);
}

static bool is_silent(const struct achi_session *s)
{
    return s->stranger_at;
}

/* server->sessions begins with the newest. */
static struct achi_session *find_rightless(const struct achi_server *server,
                                           const struct achi_session *newcomer)
{
    struct achi_session *s, *oldest = NULL;

    for (s = server->sessions; s; s = s->next)
        if (s != newcomer && is_rightless(s))
            oldest = s;
    return oldest;
}

static struct achi_session *find_silent(const struct achi_account *a,
                                        const struct achi_session *newcomer)
{
    struct achi_session *s = newcomer->server->strangers;

    while (s && (s == newcomer || s->account != a))
        s = s->next_stranger;
    return s;
}

static struct achi_session *find_newest(const struct achi_account *a, struct achi_session *newcomer)
{
    struct achi_session *s = newcomer->server->sessions;

    while (s && (s == newcomer || s->account != a))
        s = s->next;
    return s ? s : newcomer;
}

/* The account with the most connections. */
static struct achi_account *find_largest(const struct achi_server *server, bool masters)
{
    struct achi_account *a, *largest = NULL;

    for (a = server->accounts; a; a = a->next)
        if (a->clients > (largest ? largest->clients : 0) && (masters || !is_master(a)))
            largest = a;
    return largest;
}

static struct achi_session *find_of_largest(struct achi_session *newcomer)
{
    struct achi_account *mine = newcomer->account, *most = find_largest(newcomer->server, true);
    struct achi_session *s = find_silent(most, newcomer);
    bool fewer = most->clients > mine->clients;

    if (!s && !fewer && is_master(mine)) {
        most = find_largest(newcomer->server, false);
        fewer = most;
    }
    if (s)
        return s;
    return fewer ? find_newest(most, newcomer) : newcomer;
}

static struct achi_session *choose(struct achi_session *newcomer)
{
    struct achi_session *s;

    if (has_secret(newcomer->server))
        return newcomer->server->strangers;
    s = find_rightless(newcomer->server, newcomer);
    if (s)
        return s;
    return is_rightless(newcomer) ? newcomer : find_of_largest(newcomer);
}

static const char *why(const struct achi_session *s)
{
    if (is_silent(s))
        return "it said nothing, and another client came";
    return is_rightless(s) ? "its user may do nothing here, and another client came"
                           : "there are too many of its user or machine, and another client came";
}

bool achi_room_find(struct achi_session *newcomer)
{
    struct achi_server *server = newcomer->server;
    struct achi_session *s;

    if (server->clients <= server->options.clients_max)
        return true;
    s = choose(newcomer);
    if (s != newcomer)
        achi_session_close(s, why(s));
    return s != newcomer;
}

void achi_room_make(struct achi_server *server)
{
    if (server->strangers)
        achi_session_close(server->strangers, why(server->strangers));
}
