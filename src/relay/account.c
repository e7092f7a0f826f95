/* SPDX-License-Identifier: BSD-3-Clause */
#include "account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEBIBYTE (1024ull * 1024)

/* What was not read for so long may be read at once. */
#define BURST_NS 100000000u

/* A peer's channels take a quarter of the daemon's time to open, and so long at once. */
#define OPEN_SHARE 4u
#define OPEN_BURST_NS 4000000u

void relay_limits_init(struct relay_limits *l)
{
    *l = (struct relay_limits){.connections = 256,
                               .peer_connections = 128,
                               .handshakes = 64,
                               .flows = 4096,
                               .message = 64 * MEBIBYTE,
                               .memory = 256 * MEBIBYTE,
                               .channel = 256 * MEBIBYTE,
                               .created = 1024 * MEBIBYTE,
                               .rate = 1024 * MEBIBYTE};
}

struct relay_account *relay_account_take(struct relay_account **all, const char *name)
{
    struct relay_account *a = *all;

    while (a && strcmp(a->name, name) != 0)
        a = a->next;
    if (!a) {
        a = calloc(1, sizeof(*a));
        if (!a)
            return NULL;
        snprintf(a->name, sizeof(a->name), "%s", name);
        a->next = *all;
        *all = a;
    }
    a->links++;
    return a;
}

/* Kept if it has created channels: a new connection must not begin with nothing counted. */
void relay_account_release(struct relay_account **all, struct relay_account *a)
{
    if (!a || --a->links || a->created)
        return;
    while (*all != a)
        all = &(*all)->next;
    *all = a->next;
    free(a);
}

void relay_accounts_finish(struct relay_account **all)
{
    while (*all) {
        struct relay_account *next = (*all)->next;

        free(*all);
        *all = next;
    }
}

bool relay_account_charge(struct relay_account *a, uint64_t before, uint64_t now, uint64_t limit)
{
    uint64_t others = a->memory - before;

    if (now > before && (now > limit || others > limit - now))
        return false;
    a->memory = others + now;
    return true;
}

/* Time that was not used for as long as burst can be used at once. */
static uint64_t pay(uint64_t *paid, uint64_t cost, uint64_t burst, uint64_t now)
{
    uint64_t least = now > burst ? now - burst : 0;

    if (*paid < least)
        *paid = least;
    *paid += cost;
    return *paid > now ? *paid : 0;
}

uint64_t relay_account_read(struct relay_account *a, size_t n, uint64_t rate, uint64_t now)
{
    return pay(&a->paid, (uint64_t)n * 1000000000u / rate, BURST_NS, now);
}

uint64_t relay_account_opened(struct relay_account *a, uint64_t took, uint64_t now)
{
    return pay(&a->opened, took * OPEN_SHARE, OPEN_BURST_NS, now);
}
