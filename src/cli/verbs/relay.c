/* SPDX-License-Identifier: BSD-3-Clause */
/* ach relay - the figures of the relays (achd) on this machine */
#include <string.h>

#include "cli.h"
#include "json_parse.h"
#include "relay_status.h"
#include "table.h"

struct relay_list {
    bool json;
    unsigned found;
    struct table links, flows, reasons;
};

static struct value_text text_of(const struct value *object, const char *name)
{
    const struct value *v = value_member(object, name, strlen(name));

    if (!v || (v->kind != VALUE_TEXT && v->kind != VALUE_NUMBER))
        return (struct value_text){"-", 1};
    return (struct value_text){v->text, v->count};
}

static void text_cell(struct table *t, const struct value *object, const char *name)
{
    struct value_text text = text_of(object, name);

    table_cell(t, "%.*s", (int)text.size, text.at);
}

/* The port is known if this machine has connected. */
static void peer_cell(struct table *t, const struct value *link)
{
    struct value_text peer = text_of(link, "peer"), port = text_of(link, "port");
    bool v6 = memchr(peer.at, ':', peer.size);

    if (value_member(link, "port", strlen("port")))
        table_cell(t, "%s%.*s%s:%.*s", v6 ? "[" : "", (int)peer.size, peer.at, v6 ? "]" : "",
                   (int)port.size, port.at);
    else
        text_cell(t, link, "peer");
}

static void time_cell(struct table *t, const struct value *object, const char *name)
{
    const struct value *v = value_member(object, name, strlen(name));
    double seconds;

    if (v && value_real(v, &seconds))
        table_cell(t, "%.3f ms", seconds * 1e3);
    else
        table_cell(t, "-");
}

static void rate_cell(struct table *t, const struct value *object, const char *name)
{
    const struct value *v = value_member(object, name, strlen(name));
    double rate;

    if (v && value_real(v, &rate))
        table_cell(t, "%.1f/s", rate);
    else
        table_cell(t, "-");
}

/* If the object has a reason: why something is not connected or not open. */
static void reason_row(struct table *t, const struct value *link, const struct value *object,
                       const char *what)
{
    if (!value_member(object, "why", strlen("why")))
        return;
    peer_cell(t, link);
    text_cell(t, object, what);
    text_cell(t, object, "why");
}

static void link_row(struct relay_list *l, const struct value *link)
{
    struct table *t = &l->links;

    peer_cell(t, link);
    text_cell(t, link, "state");
    text_cell(t, link, "reconnections");
    time_cell(t, link, "rtt");
    time_cell(t, link, "offset");
    time_cell(t, link, "offset_error");
    text_cell(t, link, "bytes_in");
    text_cell(t, link, "bytes_out");
    reason_row(&l->reasons, link, link, "state");
}

static void flow_row(struct relay_list *l, const struct value *link, const struct value *flow)
{
    struct table *t = &l->flows;

    peer_cell(t, link);
    text_cell(t, flow, "channel");
    text_cell(t, flow, "direction");
    text_cell(t, flow, "state");
    text_cell(t, flow, "messages");
    rate_cell(t, flow, "message_rate");
    text_cell(t, flow, "gaps");
    text_cell(t, flow, "too_old");
    text_cell(t, flow, "failed");
    time_cell(t, flow, "age_p50");
    time_cell(t, flow, "age_max");
    reason_row(&l->reasons, link, flow, "channel");
}

static void link_rows(struct relay_list *l, const struct value *link)
{
    const struct value *flows = value_member(link, "flows", strlen("flows"));
    size_t i;

    link_row(l, link);
    for (i = 0; flows && flows->kind == VALUE_LIST && i < flows->count; i++)
        flow_row(l, link, &flows->items[i]);
}

static void status_rows(struct relay_list *l, const char *text, size_t size)
{
    struct value_tree tree = {.root = {.kind = VALUE_NULL}};
    const struct value *links = NULL;
    size_t i;

    if (value_parse_json(&tree.arena, text, size, &tree.root) == ACH_OK &&
        tree.root.kind == VALUE_OBJECT)
        links = value_member(&tree.root, "links", strlen("links"));
    for (i = 0; links && links->kind == VALUE_LIST && i < links->count; i++)
        link_rows(l, &links->items[i]);
    value_tree_finish(&tree);
}

static void status_show(void *context, const char *text, size_t size)
{
    struct relay_list *l = context;

    l->found++;
    if (l->json)
        printf("%.*s\n", (int)size, text);
    else
        status_rows(l, text, size);
}

static void table_heads(struct table *t, const char *const *heads)
{
    for (; *heads; heads++)
        table_cell(t, "%s", *heads);
}

static void status_heads(struct relay_list *l)
{
    static const char *const links[] = {"PEER",  "STATE",    "RECONNECTIONS", "RTT", "OFFSET",
                                        "ERROR", "RECEIVED", "SENT",          NULL};
    static const char *const flows[] = {"PEER", "CHANNEL", "DIRECTION", "STATE", "MESSAGES", "RATE",
                                        "GAPS", "TOO OLD", "FAILED",    "AGE",   "AGE MAX",  NULL};

    table_heads(&l->links, links);
    table_heads(&l->flows, flows);
}

static void status_print(const struct relay_list *l)
{
    table_print(&l->links, stdout, SIZE_MAX, "\n");
    putchar('\n');
    table_print(&l->flows, stdout, SIZE_MAX, "\n");
    if (l->reasons.n)
        putchar('\n');
    table_print(&l->reasons, stdout, SIZE_MAX, "\n");
}

static int status_all(struct relay_list *l)
{
    if (!l->json)
        status_heads(l);
    if (relay_status_each(true, status_show, l) != ACH_OK)
        return fail_errstr();
    if (!l->found) {
        complain("no figures: either no achd runs with these channels, or it cannot create its "
                 "channel achd-status.*, and its log says why");
        return EXIT_FAILED;
    }
    if (!l->json)
        status_print(l);
    return EXIT_OK;
}

static int relay_run(int argc, char **argv)
{
    static const struct option longs[] = {{"json", no_argument, NULL, 'j'}, {0}};
    struct relay_list l = {.links = {.align = "llrrrrrr"},
                           .flows = {.align = "llllrrrrrrr"},
                           .reasons = {.align = "lll"}};
    int c, status;

    while ((c = getopt_long(argc, argv, "j", longs, NULL)) != -1) {
        if (c != 'j')
            return usage_hint();
        l.json = true;
    }
    if (optind + 1 != argc || strcmp(argv[optind], "status") != 0)
        return usage("expected 'ach relay status'");
    status = status_all(&l);
    table_finish(&l.links);
    table_finish(&l.flows);
    table_finish(&l.reasons);
    return status;
}

const struct verb verb_relay = {
    .name = "relay",
    .group = "Other machines",
    .summary = "figures of achd, which relays channels between machines",
    .help =
        "Usage: ach relay status [OPTION ...]\n\n"
        "Print for each achd of this machine: its connections, with reconnections, round trip\n"
        "and offset of the clocks; the channels that it relays, with messages, rates, gaps and\n"
        "ages; and why something is not connected or not open.\n\n"
        "Options:\n"
        "  -j, --json  print a JSON object for each achd, one per line\n"
        "  -h, --help  print this help\n\n"
        "Examples:\n"
        "  ach relay status\n"
        "  watch -n 1 ach relay status\n"
        "  ach relay status --json | jq '.links[].rtt'\n",
    .run = relay_run,
};
