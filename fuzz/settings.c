/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - any bytes as a file of achd */
#include "../src/relay/settings.h"

#include <string.h>

#include "property.h"

static void check_flow(const struct relay_flow_setting *f)
{
    HOLDS(f->port >= 1 && f->port <= UINT16_MAX);
    HOLDS(memchr(f->host, '\0', sizeof(f->host)) && *f->host);
    HOLDS(memchr(f->name, '\0', sizeof(f->name)));
    HOLDS(memchr(f->local, '\0', sizeof(f->local)) && *f->local);
    HOLDS(memchr(f->request.name, '\0', sizeof(f->request.name)));
    HOLDS(f->request.priority <= 7);
}

/* A peer that has a certificate gets nothing that no rule names. */
static void check_rules(const struct relay_rule *rules)
{
    const struct relay_rule *r;
    bool any = false;

    for (r = rules; r; r = r->next) {
        HOLDS(r->read || r->write);
        HOLDS(*r->peer && *r->channel);
        any |= *r->peer != '@' && r->write;
    }
    HOLDS(any || !relay_access_allows(rules, "laptop", true, "command"));
}

void property_settings(const uint8_t *data, size_t size)
{
    struct relay_settings s;
    struct relay_flow_setting *f;
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;

    if (!file)
        return;
    relay_settings_init(&s);
    if (relay_settings_parse(&s, "fuzz", file) && relay_settings_check(&s)) {
        HOLDS(!*s.keys || !s.insecure);
        HOLDS(s.limits.rate && s.limits.connections && s.limits.flows <= 4096);
        for (f = s.flows; f; f = f->next)
            check_flow(f);
        check_rules(s.rules);
    }
    fclose(file);
    relay_settings_finish(&s);
}
