/* SPDX-License-Identifier: BSD-3-Clause */
#include "account.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "endpoint.h"
#include "session.h"

/* Wrong secrets allowed at once; then one each second. */
#define GUESSES_MAX 8u

/* IPv6: bytes of the network prefix of an address. */
#define NETWORK_BYTES 8u

static struct in6_addr address_of(int fd)
{
    struct in6_addr address = {0};
    struct sockaddr_storage a = {0};
    socklen_t size = sizeof(a);
    struct tcp_endpoint e;

    if (getpeername(fd, (struct sockaddr *)&a, &size) != 0 || !tcp_endpoint_read(&a, &e))
        return address;
    if (e.family == AF_INET)
        memcpy(&address.s6_addr[12], &e.address.v4, sizeof(e.address.v4));
    else
        memcpy(&address, &e.address.v6,
               IN6_IS_ADDR_LINKLOCAL(&e.address.v6) ? sizeof(address) : NETWORK_BYTES);
    return address;
}

static struct tcp_account *account_find(struct tcp_server *server, const struct tcp_account *wanted)
{
    struct tcp_account *a = server->accounts;

    while (a && (a->origin.local != wanted->origin.local || a->origin.uid != wanted->origin.uid ||
                 memcmp(&a->address, &wanted->address, sizeof(a->address)) != 0))
        a = a->next;
    return a;
}

static struct tcp_account *account_add(struct tcp_server *server, const struct tcp_account *wanted)
{
    struct tcp_account *a = malloc(sizeof(*a));

    if (!a)
        return NULL;
    *a = *wanted;
    a->next = server->accounts;
    server->accounts = a;
    return a;
}

bool tcp_account_enter(struct tcp_session *s, int fd)
{
    struct tcp_account wanted = {.origin = s->origin, .judged = -1};

    if (!s->origin.local)
        wanted.address = address_of(fd);
    s->account = account_find(s->server, &wanted);
    if (!s->account)
        s->account = account_add(s->server, &wanted);
    if (s->account)
        s->account->clients++;
    else
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a client");
    return s->account;
}

/* Decrement `wrong` by the seconds that have passed. */
static void account_settle(struct tcp_account *a)
{
    long now = tcp_loop_seconds(), passed = now - a->wrong_since;

    a->wrong = passed < (long)a->wrong ? a->wrong - (unsigned)passed : 0;
    a->wrong_since = now;
}

void tcp_accounts_forget(struct tcp_server *server, bool all)
{
    struct tcp_account **at = &server->accounts, *a;

    while ((a = *at)) {
        account_settle(a);
        if (a->clients || (a->wrong && !all)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        free(a);
    }
}

/* An account with recent wrong secrets stays; tcp_accounts_forget frees it in a later tick. */
void tcp_account_leave(struct tcp_session *s)
{
    struct tcp_account **at = &s->server->accounts, *a = s->account;

    if (!a || --a->clients || a->wrong)
        return;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    free(a);
}

bool tcp_account_may_guess(struct tcp_account *a)
{
    account_settle(a);
    return a->wrong < GUESSES_MAX;
}

void tcp_account_guessed_wrong(struct tcp_account *a)
{
    account_settle(a);
    a->wrong++;
}
