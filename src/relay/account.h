/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * account.h - what a peer uses, and how much it may
 *
 * All connections with the same certificate share an account; without TLS, all connections with
 * the same address.
 */
#ifndef RELAY_ACCOUNT_H
#define RELAY_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct relay_limits {
    uint64_t connections;      /* that others have opened */
    uint64_t peer_connections; /* of them, from one peer */
    uint64_t handshakes;       /* of them, not greeted yet */
    uint64_t flows;            /* that a peer has opened, on all its connections */
    uint64_t message;          /* bytes of a message that comes */
    uint64_t memory;           /* bytes that are held for a peer */
    uint64_t channel;          /* bytes of a channel that is created */
    uint64_t created;          /* bytes of all channels that a peer creates */
    uint64_t rate;             /* bytes per second that are read from a peer */
};

struct relay_account {
    struct relay_account *next;
    char name[RELAY_WIRE_TEXT];
    unsigned links;
    uint64_t memory, created, flows;
    uint64_t paid;   /* the time until which the rate allows what was read */
    uint64_t opened; /* the time until which the channels that were opened have paid */
};

void relay_limits_init(struct relay_limits *l);

/* The account of a peer; NULL: no memory. Each use is released. */
struct relay_account *relay_account_take(struct relay_account **all, const char *name);
void relay_account_release(struct relay_account **all, struct relay_account *a);
void relay_accounts_finish(struct relay_account **all);

/* Memory that was used before is used no more, or other memory is. False: not so much. */
bool relay_account_charge(struct relay_account *a, uint64_t before, uint64_t now, uint64_t limit);

/* n bytes were read. The time before which no more shall be read; 0: at once. */
uint64_t relay_account_read(struct relay_account *a, size_t n, uint64_t rate, uint64_t now);

/* To open a channel took that long. The time before which no other shall be opened; 0: at once. */
uint64_t relay_account_opened(struct relay_account *a, uint64_t took, uint64_t now);

#endif
