/* SPDX-License-Identifier: BSD-3-Clause */
#include "claim.h"

#include <stddef.h>

static void claim_expire(struct claim *c, uint64_t now)
{
    if (c->held && now >= c->held)
        *c = (struct claim){.owner = NULL};
}

const char *claim_ask(struct claim *c, const void *page, bool keep, uint64_t now)
{
    claim_expire(c, now);
    if (c->held && page == c->stopper && !c->owner)
        c->held = 0; /* it has stopped a device that nobody drove */
    if (c->held && page == c->stopper)
        return CLAIM_WAIT;
    if (c->held) {
        c->held = now + CLAIM_SILENCE;
        return c->why;
    }
    if (c->owner && c->owner != page)
        return CLAIM_OTHER;
    if (keep)
        c->owner = page;
    return NULL;
}

bool claim_stop(struct claim *c, const void *page, uint64_t now)
{
    claim_expire(c, now);
    if (claim_release(c, page))
        return false;
    claim_hold(c, CLAIM_STOPPED, now);
    c->stopper = page;
    return c->owner != NULL;
}

bool claim_release(struct claim *c, const void *page)
{
    if (c->owner != page)
        return false;
    *c = (struct claim){.owner = NULL};
    return true;
}

bool claim_leave(struct claim *c, const void *page)
{
    const bool owned = c->owner == page;

    if (owned)
        c->owner = NULL;
    if (c->stopper == page)
        c->stopper = NULL;
    return owned;
}

void claim_hold(struct claim *c, const char *why, uint64_t now)
{
    c->held = now + CLAIM_SILENCE;
    c->stopper = NULL;
    c->why = why;
}

const void *claim_owner(const struct claim *c)
{
    return c->held ? NULL : c->owner;
}
