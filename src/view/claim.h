/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * claim.h - which page drives a device
 *
 *     free           --a page drives------------------------------> owned by it
 *     owned          --its page releases it, stops it or leaves---> free
 *     free, owned    --another page stops it----------------------> held
 *     owned          --the device is lost-------------------------> held
 *     held           --silence, or its owner releases or stops it-> free
 *
 * While a device is held, nobody drives it. Silence: no page but the one that stopped it has sent a
 * command for CLAIM_SILENCE. So a stop outlasts the commands of a page that goes on.
 *
 * No lock and no clock: the caller has both. Pages and texts are compared or kept, never owned.
 */
#ifndef VIEW_CLAIM_H
#define VIEW_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

#define CLAIM_SILENCE 200000000u /* ns */
#define CLAIM_STOPPED "stopped by another page"
#define CLAIM_OTHER "another page drives"
#define CLAIM_WAIT "the page that drives has not let go yet"

struct claim {
    const void *owner, *stopper; /* pages; NULL: none */
    uint64_t held;               /* until then; 0: it is not held */
    const char *why;             /* it is held */
};

/* A page commands the device. NULL: it may; else why not. keep: it drives from now on. */
const char *claim_ask(struct claim *c, const void *page, bool keep, uint64_t now);

/* A page stops the device. True: another page has driven it. */
bool claim_stop(struct claim *c, const void *page, uint64_t now);

/* The user of a page has let go. True: it has driven. */
bool claim_release(struct claim *c, const void *page);

/* A page is hidden or closed: it drives no more, but what is held stays held. The same result. */
bool claim_leave(struct claim *c, const void *page);

/* Whoever drives must let go before the device is driven again. */
void claim_hold(struct claim *c, const char *why, uint64_t now);

/* The page that drives; NULL: none. */
const void *claim_owner(const struct claim *c);

#endif
