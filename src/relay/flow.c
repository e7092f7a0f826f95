/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "link.h"
#include "log.h"

void relay_flow_explain(struct relay_flow *f, enum ach_status status, const char *why)
{
    if (strcmp(f->why, why) != 0 && *why)
        relay_log_note("%s: channel '%s': %s", f->link->peer, f->local, why);
    snprintf(f->why, sizeof(f->why), "%s", why);
    f->why_status = status;
    f->link->host->changed = true;
}

bool relay_flow_charge(struct relay_flow *f, size_t bytes)
{
    struct relay_link *l = f->link;
    char why[RELAY_WIRE_TEXT];

    if (!l->account)
        return true;
    bytes += f->asks ? 0 : sizeof(*f) + (f->source.open ? f->source.tables : 0);
    if (relay_account_charge(l->account, f->charged, bytes, l->host->limits.memory)) {
        f->charged = bytes;
        return true;
    }
    snprintf(why, sizeof(why), "no more memory: the limit of a peer is %llu bytes",
             (unsigned long long)l->host->limits.memory);
    relay_flow_explain(f, ACH_OVERFLOW, why);
    return false;
}
