/* SPDX-License-Identifier: BSD-3-Clause */
#include "account.h"

#include <ach.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "end.h"
#include "session.h"

/* Secrets that may be tried at once; then one each second. */
#define GUESSES_MAX 8u

/* IPv6: the part of an address that names a network. */
#define NETWORK_BYTES 8u

static struct in6_addr address_of(int fd)
{
    struct in6_addr address = {0};
    struct sockaddr_storage a = {0};
    socklen_t size = sizeof(a);
    struct achi_end e;

    if (getpeername(fd, (struct sockaddr *)&a, &size) != 0 || !achi_end_read(&a, &e))
        return address;
    if (e.family == AF_INET)
        memcpy(&address.s6_addr[12], &e.address.v4, sizeof(e.address.v4));
    else
        memcpy(&address, &e.address.v6,
               IN6_IS_ADDR_LINKLOCAL(&e.address.v6) ? sizeof(address) : NETWORK_BYTES);
    return address;
}

static struct achi_account *find(struct achi_server *server, const struct achi_account *wanted)
{
    struct achi_account *a = server->accounts;

    while (a && (a->origin.local != wanted->origin.local || a->origin.uid != wanted->origin.uid ||
                 memcmp(&a->address, &wanted->address, sizeof(a->address)) != 0))
        a = a->next;
    return a;
}

static struct achi_account *add(struct achi_server *server, const struct achi_account *wanted)
{
    struct achi_account *a = malloc(sizeof(*a));

    if (!a)
        return NULL;
    *a = *wanted;
    a->next = server->accounts;
    server->accounts = a;
    return a;
}

bool achi_account_enter(struct achi_session *s, int fd)
{
    struct achi_account wanted = {.origin = s->origin, .judged = -1};

    if (!s->origin.local)
        wanted.address = address_of(fd);
    s->account = find(s->server, &wanted);
    if (!s->account)
        s->account = add(s->server, &wanted);
    if (s->account)
        s->account->clients++;
    else
        ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a client");
    return s->account;
}

/* Seconds that have passed are to the account's credit. */
static void settle(struct achi_account *a)
{
    long now = achi_server_seconds(), passed = now - a->wrong_since;

    a->wrong = passed < (long)a->wrong ? a->wrong - (unsigned)passed : 0;
    a->wrong_since = now;
}

void achi_accounts_forget(struct achi_server *server, bool all)
{
    struct achi_account **at = &server->accounts, *a;

    while ((a = *at)) {
        settle(a);
        if (a->clients || (a->wrong && !all)) {
            at = &a->next;
            continue;
        }
        *at = a->next;
        free(a);
    }
}

/* With wrong secrets to its debit it stays, for the tick to forget later. */
void achi_account_leave(struct achi_session *s)
{
    struct achi_account **at = &s->server->accounts, *a = s->account;

    if (!a || --a->clients || a->wrong)
        return;
    while (*at != a)
        at = &(*at)->next;
    *at = a->next;
    free(a);
}

bool achi_account_may_guess(struct achi_account *a)
{
    settle(a);
    return a->wrong < GUESSES_MAX;
}

void achi_account_guessed_wrong(struct achi_account *a)
{
    settle(a);
    a->wrong++;
}
