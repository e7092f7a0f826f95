/* SPDX-License-Identifier: BSD-3-Clause */
/* ach search - which machines advertise a channel */
#include <string.h>

#include "cli.h"
#include "discovery.h"
#include "json.h"
#include "network.h"
#include "parse.h"
#include "peers.h"
#include "table.h"

#define TIMEOUT_S 5.0

struct search_search {
    const char *channel;
    double timeout;
    bool json;
    unsigned found;
    struct table table;
};

static void search_json(const struct discovered *d)
{
    struct json j = JSON_INIT(stdout);

    json_object(&j, NULL);
    json_string(&j, "channel", d->name);
    json_string(&j, "host", d->host);
    json_string(&j, "address", d->address);
    json_uint(&j, "port", d->port);
    json_string(&j, "transport", d->transport);
    if (*d->peer)
        json_bytes(&j, "certificate", d->peer, strlen(d->peer) - 1);
    json_end_object(&j);
    json_line(&j);
}

static void search_add(void *context, const struct discovered *d)
{
    struct search_search *s = context;

    if (d->kind != DISCOVERED_CHANNEL || strcmp(d->name, s->channel) != 0)
        return;
    s->found++;
    if (s->json) {
        search_json(d);
        return;
    }
    table_cell(&s->table, "%s%s:%u", d->peer, d->address, d->port);
    table_cell(&s->table, "%s", d->host);
    table_cell(&s->table, "%s", d->transport);
}

static bool search_parse(int argc, char **argv, struct search_search *s)
{
    static const struct option longs[] = {
        {"timeout", required_argument, NULL, 'T'}, {"json", no_argument, NULL, 'j'}, {0}};
    int c;

    while ((c = getopt_long(argc, argv, "T:j", longs, NULL)) != -1) {
        if (c == '?') {
            usage_hint();
            return false;
        }
        if (c == 'T' && !parse_seconds(optarg, &s->timeout))
            return bad_value("the timeout", optarg, SECONDS_WANTED);
        s->json |= c == 'j';
    }
    s->channel = one_channel(argc, argv);
    return s->channel != NULL;
}

static int search_run(int argc, char **argv)
{
    static const char *const types[] = {MDNS_CHANNELS, NULL};
    struct search_search s = {.timeout = TIMEOUT_S, .table = {.align = "lll"}};
    ach_status_t status;
    unsigned peers;

    if (!search_parse(argc, argv, &s))
        return EXIT_USAGE;
    peers = peers_find(true, search_add, network_silent, &s);
    status = discovery_find(types, s.timeout, search_add, &s);
    table_print(&s.table, stdout, SIZE_MAX, "\n");
    table_finish(&s.table);
    if (status != ACH_OK && !peers)
        return fail_errstr();
    if (status != ACH_OK)
        complain("warning: %s", ach_errstr());
    if (s.found)
        return EXIT_OK;
    complain("no machine in the network advertises the channel '%s'", s.channel);
    return EXIT_FAILED;
}

const struct verb verb_search = {
    .name = "search",
    .summary = "find the machines that advertise a channel",
    .help = "Usage: ach search [OPTION ...] CHANNEL\n\n"
            "Print the address, host and transport of each achd that advertises the channel.\n"
            "avahi-daemon must run. Anybody in the network can advertise a channel, so the\n"
            "answer may be false: use TLS.\n\n"
            "Options:\n"
            "  -j, --json             a JSON object on a line of its own for each machine\n"
            "  -T, --timeout SECONDS  longest wait for answers (5)\n"
            "  -h, --help             print this help\n\n"
            "Examples:\n"
            "  ach search imu\n"
            "  achd pull \"$(ach search imu | sed 's/ .*//;q')\" imu\n",
    .run = search_run,
};
