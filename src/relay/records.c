/* SPDX-License-Identifier: BSD-3-Clause */
#include "records.h"

#include <stdio.h>

static struct mdns_service *records_begin(struct relay_records *r)
{
    struct mdns_service *s = &r->services[r->n_services++];

    s->port = r->port;
    if (r->n_services == 1)
        snprintf(s->label, sizeof(s->label), "%u", r->port);
    else
        snprintf(s->label, sizeof(s->label), "%u %u", r->port, (unsigned)r->n_services);
    if (!mdns_service_add(s, "version=%s", r->version) ||
        !mdns_service_add(s, "host=%.64s", r->host) ||
        !mdns_service_add(s, "transport=%s", r->transport))
        return NULL;
    return s;
}

bool relay_records_make(struct relay_records *r)
{
    struct mdns_service *s = records_begin(r);
    unsigned key = 0;
    size_t i;

    if (!s || !mdns_service_add(s, "channels=%u", (unsigned)r->n_channels))
        return false;
    for (i = 0; i < r->n_channels; i++) {
        if (mdns_service_add(s, "c%u=%s", key, r->channels[i])) {
            key++;
            continue;
        }
        s = r->n_services < RELAY_RECORDS_SERVICES ? records_begin(r) : NULL;
        key = 1;
        if (!s || !mdns_service_add(s, "c0=%s", r->channels[i]))
            return false;
    }
    return true;
}

void relay_records_clear(struct relay_records *r)
{
    while (r->n_services)
        mdns_service_finish(&r->services[--r->n_services]);
}
