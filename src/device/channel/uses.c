/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.c - find the subscription of a client's handle, and its requests */
#include "server.h"

struct devch_use **devch_use_at(struct devch_client *c, uint32_t handle,
                                const ach_address_t *device)
{
    struct devch_use **u = &c->uses;

    while (*u && ((*u)->handle != handle || !ach_address_equal(&(*u)->address, device)))
        u = &(*u)->next;
    return u;
}

struct devch_use *devch_use_find(const struct ach_channels *s, const ach_header_t *command,
                                 const ach_address_t *device)
{
    struct devch_client *c = s->clients;

    while (c && c->pid != command->address.host)
        c = c->next;
    return c ? *devch_use_at(c, command->address.robot, device) : NULL;
}

void devch_use_forget_requests(struct ach_channels *s, const ach_address_t *client, int subtype)
{
    struct pending_slot *slot;

    for (slot = s->pending.slots; s->pending.n && slot < s->pending.slots + PENDING_MAX; slot++) {
        const ach_header_t *h = slot->request ? ach_message_header(slot->request) : NULL;

        if (h && (subtype < 0 || h->subtype == subtype) && ach_address_equal(&h->address, client))
            ach_message_unref(pending_remove(&s->pending, slot));
    }
}
