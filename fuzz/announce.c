/* SPDX-License-Identifier: BSD-3-Clause */
/* announce.c - any service that a machine in the network advertises, or list that achd sends */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "peer_list.h"
#include "printable.h"
#include "property.h"

#define TEXTS_MAX 64

static void check_printable(const char *text)
{
    size_t left = strlen(text), n;

    HOLDS(left < 256);
    for (; left; left -= n, text += n) {
        n = printable_length(text, left);
        HOLDS(n > 0);
    }
}

/* What is reported can be printed, and used as a name. */
static void announce_report(void *context, const struct discovered *d)
{
    char path[PATH_MAX];

    ++*(unsigned *)context;
    check_printable(d->name);
    check_printable(d->driver);
    check_printable(d->server);
    check_printable(d->host);
    check_printable(d->peer);
    HOLDS(*d->transport &&
          strspn(d->transport, "abcdefghijklmnopqrstuvwxyz") == strlen(d->transport));
    HOLDS(strlen(d->transport) < 16);
    if (d->kind == DISCOVERED_CHANNEL)
        HOLDS(ach_channel_path(d->name, path, sizeof(path)) == ACH_OK);
    if (d->kind == DISCOVERED_DEVICE)
        HOLDS(strchr(d->name, ':') && *d->driver);
}

static void announce_list(const struct property_input *in, unsigned *reports)
{
    const struct discovered host = {.name = "",
                                    .driver = "",
                                    .server = "",
                                    .transport = "tcp",
                                    .peer = "",
                                    .host = "h",
                                    .address = "h"};

    peer_list_read((const char *)in->at, (size_t)(in->end - in->at), &host, announce_report,
                   reports);
}

/* The first byte chooses the kind. For a service, then follow the service's name, its host and the TXT records,
 * each up to a zero byte. */
void property_announce(const uint8_t *data, size_t size)
{
    struct property_input in = {data, data + size};
    struct mdns_found f = {.address = "10.0.0.1", .port = 8076, .service = "", .host = ""};
    const char *texts[TEXTS_MAX];
    unsigned reports = 0;
    unsigned kind = property_byte(&in);
    size_t n = 0;
    char *copy, *at;

    if (kind & 2) {
        announce_list(&in, &reports);
        return;
    }
    f.type = kind & 1 ? MDNS_DEVICES : MDNS_CHANNELS;
    size = (size_t)(in.end - in.at);
    copy = malloc(size + 1);
    HOLDS(copy);
    memcpy(copy, in.at, size);
    copy[size] = '\0';
    for (at = copy; at < copy + size && n < TEXTS_MAX; at += strlen(at) + 1)
        texts[n++] = at;
    f.service = n > 0 ? texts[0] : "";
    f.host = n > 1 ? texts[1] : "";
    f.txt = n > 2 ? texts + 2 : texts;
    f.n_txt = n > 2 ? n - 2 : 0;
    discovery_read(&f, announce_report, &reports);
    HOLDS(reports <= n + 1);
    free(copy);
}
