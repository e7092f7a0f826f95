/* SPDX-License-Identifier: BSD-3-Clause */
/* uses.c - find the subscription of a client's handle */
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
