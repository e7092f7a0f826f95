/* SPDX-License-Identifier: BSD-3-Clause */
#include "listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "log.h"

/* One message may use all frames: enough for RELAY_RECORDS_CHANNELS of the longest names. */
#define FRAMES 4
#define FRAME_SIZE 65536

/* A channel that a killed daemon has left at this port is replaced. */
static enum ach_status listing_create(const char *name)
{
    ach_channel_type_t type = {{{.name = "achd/Channels", .encoding = "json"}}};
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    ach_create_attr_set_single_writer(&attr, 1);
    ach_create_attr_set_type(&attr, &type);
    return ach_create(name, FRAMES, FRAME_SIZE, &attr);
}

void relay_listing_init(struct relay_listing *l, unsigned port)
{
    ach_attr_t attr;
    enum ach_status r;

    snprintf(l->name, sizeof(l->name), RELAY_LISTING_PREFIX "%u", port);
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    r = listing_create(l->name);
    if (r == ACH_OK)
        r = ach_open(&l->chan, l->name, &attr);
    l->open = r == ACH_OK;
    if (!l->open)
        relay_log_error("there will be no list of channels for peers: %s", ach_errstr());
}

static void listing_write(FILE *out, const struct relay_records *r)
{
    struct json j = JSON_INIT(out);
    size_t i;

    json_object(&j, NULL);
    json_string(&j, "host", r->host);
    json_string(&j, "version", r->version);
    json_string(&j, "transport", r->transport);
    json_array(&j, "channels");
    for (i = 0; i < r->n_channels; i++)
        json_string(&j, NULL, r->channels[i]);
    json_end_array(&j);
    json_end_object(&j);
}

void relay_listing_put(struct relay_listing *l, const struct relay_records *r)
{
    char *text = NULL;
    enum ach_status status;
    size_t size = 0;
    FILE *out = l->open ? open_memstream(&text, &size) : NULL;

    if (!out)
        return;
    listing_write(out, r);
    fclose(out);
    if (!size || (l->last && strcmp(l->last, text) == 0)) {
        free(text);
        return;
    }
    status = ach_put(&l->chan, text, size);
    if (status != ACH_OK)
        relay_log_error("cannot put into the channel '%s': %s", l->name,
                        ach_result_to_string(status));
    free(l->last);
    l->last = text;
}

void relay_listing_finish(struct relay_listing *l)
{
    if (!l->open)
        return;
    ach_unlink(l->name);
    ach_close(&l->chan);
    free(l->last);
}
