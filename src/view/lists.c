/* SPDX-License-Identifier: BSD-3-Clause */
/* lists.c - channels, relays and devices for the pages, once per second */
#include <ach/interface.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "json_parse.h"
#include "page.h"
#include "peers.h"
#include "relay_status.h"

static void lists_users(struct json *j, const char *key, const struct page_common *c,
                        const struct surveyed *s, bool writes)
{
    size_t i;

    json_array(j, key);
    for (i = 0; i < c->hub->channels.users.n; i++) {
        const struct user *u = &c->hub->channels.users.items[i];

        if (u->writes != writes || !users_match(u, s->name, &s->info))
            continue;
        json_object(j, NULL);
        json_uint(j, "pid", (uint64_t)u->pid);
        json_bytes(j, "name", u->process, strlen(u->process));
        json_end_object(j);
    }
    json_end_array(j);
}

static void lists_figure(struct json *j, const char *key, double value, bool known)
{
    if (known)
        json_number(j, key, value);
    else
        json_null(j, key);
}

/* Topics of which this server has missed messages: only those that somebody reads. */
struct lists_missed {
    const struct view_topic **topics;
    size_t n;
};

static struct lists_missed lists_find_missed(const struct page_common *c)
{
    struct lists_missed m = {.n = 0};
    const struct view_topic *t, **more;

    for (t = c->hub->topics; t; t = t->next) {
        more = t->missed ? realloc(m.topics, (m.n + 1) * sizeof(*more)) : NULL;
        if (!more)
            continue;
        m.topics = more;
        more[m.n++] = t;
    }
    return m;
}

static uint64_t lists_missed(const struct lists_missed *m, const char *channel)
{
    uint64_t missed = 0;
    size_t i;

    for (i = 0; i < m->n; i++)
        if (m->topics[i]->missed > missed && strcmp(m->topics[i]->channel, channel) == 0)
            missed = m->topics[i]->missed;
    return missed;
}

static void lists_figures(struct json *j, const struct surveyed *s, const struct view_channel *x)
{
    unsigned i;

    lists_figure(j, "rate", s->rate, s->rate >= 0);
    lists_figure(j, "bandwidth", s->rate * x->size, s->rate >= 0 && x->size >= 0);
    lists_figure(j, "age", s->newest_age, s->newest_age >= 0);
    json_bool(j, "timestamps", s->info.timestamps);
    json_array(j, "ages");
    for (i = 0; i < CHANNELS_AGES; i++)
        json_uint(j, NULL, x->ages[i]);
    json_end_array(j);
    json_uint(j, "count", s->info.newest);
    lists_figure(j, "size", (double)s->newest.size, s->newest.there);
}

static void lists_channel(struct json *j, const struct page_common *c, size_t i,
                          const struct lists_missed *missed)
{
    const struct surveyed *s = c->hub->channels.survey.items[i];
    const ach_channel_type_t *type = s->open ? channel_type(&s->chan) : NULL;

    json_object(j, NULL);
    json_string(j, "name", s->name);
    json_string(j, "machine", "");
    json_string(j, "kind", kind_text(s->map));
    json_string(j, "type", type ? type->name : "");
    if (s->open) {
        lists_figures(j, s, &c->hub->channels.items[i]);
        json_uint(j, "missed", lists_missed(missed, s->name));
        lists_users(j, "writers", c, s, true);
        lists_users(j, "readers", c, s, false);
    } else {
        json_string(j, "trouble", s->trouble);
    }
    json_end_object(j);
}

/* A channel that another machine has told a relay of. */
static void lists_remote(void *context, const struct discovered *d)
{
    struct json *j = context;

    if (d->kind != DISCOVERED_CHANNEL)
        return;
    json_object(j, NULL);
    json_string(j, "name", d->name);
    json_string(j, "machine", d->host);
    json_string(j, "kind", d->transport);
    json_string(j, "type", "");
    json_end_object(j);
}

/* Why a peer is silent is in the status of its relay, too. */
static void lists_silent(void *context, const char *address, const char *port, const char *why)
{
    (void)context;
    (void)address;
    (void)port;
    (void)why;
}

static bool lists_has_relay(const struct page_common *c)
{
    static const char prefix[] = "achd-status.";
    size_t i;

    for (i = 0; i < c->hub->channels.survey.n; i++)
        if (strncmp(c->hub->channels.survey.items[i]->name, prefix, sizeof(prefix) - 1) == 0)
            return true;
    return false;
}

static struct view_blob *lists_channels(const struct page_common *c)
{
    struct lists_missed missed;
    struct view_text t;
    size_t i;

    if (!view_text_begin(&t, "channels"))
        return NULL;
    missed = lists_find_missed(c);
    json_array(&t.json, "channels");
    for (i = 0; i < c->hub->channels.survey.n; i++)
        lists_channel(&t.json, c, i, &missed);
    free(missed.topics);
    if (lists_has_relay(c))
        peers_find(false, lists_remote, lists_silent, &t.json);
    json_end_array(&t.json);
    return view_text_end(&t);
}

/* What an achd has put is parsed and written again: it may be anything. */
static void lists_status(void *context, const char *text, size_t size)
{
    struct value_tree tree = {.root = {.kind = VALUE_NULL}};
    struct json *j = context;

    if (value_parse_json(&tree.arena, text, size, &tree.root) == ACH_OK) {
        json_key(j, NULL);
        value_json(&tree.root, j->out);
    }
    value_tree_finish(&tree);
}

/* Sent also if no achd runs: pages forget the links of one that has ended. */
static struct view_blob *lists_relay(const struct page_common *c)
{
    struct view_text t;

    if (!view_text_begin(&t, "relay"))
        return NULL;
    json_array(&t.json, "status");
    if (lists_has_relay(c))
        relay_status_each(false, lists_status, &t.json);
    json_end_array(&t.json);
    return view_text_end(&t);
}

/* "dev.6665.laser.0.data" is data of laser:0. False: the name is not like that. */
static bool lists_address(const char *channel, char address[64], char interface[25])
{
    char what[6] = "", robot[8], rest[2];
    unsigned index;

    if (sscanf(channel, "dev.%7[0-9].%24[^.].%u.%5s%1s", robot, interface, &index, what, rest) !=
            4 ||
        strcmp(what, "data") != 0)
        return false;
    if (strcmp(robot, "6665") == 0)
        snprintf(address, 64, "%s:%u", interface, index);
    else
        snprintf(address, 64, "%s:%s:%u", robot, interface, index);
    return true;
}

static void lists_commands(struct json *j, const char *interface)
{
    const ach_interface_t *i = ach_interface_find(interface);
    uint32_t k;

    json_array(j, "commands");
    for (k = 0; i && k < i->message_count; k++)
        if (i->messages[k].type == ACH_MSG_CMD)
            json_string(j, NULL, i->messages[k].name);
    json_end_array(j);
}

static struct view_blob *lists_devices(const struct page_common *c)
{
    char address[64], interface[25];
    struct view_text t;
    size_t i;

    if (!view_text_begin(&t, "devices"))
        return NULL;
    json_array(&t.json, "devices");
    for (i = 0; i < c->hub->channels.survey.n; i++) {
        if (!lists_address(c->hub->channels.survey.items[i]->name, address, interface))
            continue;
        json_object(&t.json, NULL);
        json_string(&t.json, "address", address);
        json_string(&t.json, "interface", interface);
        json_string(&t.json, "driver", "");
        lists_commands(&t.json, interface);
        json_end_object(&t.json);
    }
    json_end_array(&t.json);
    return view_text_end(&t);
}

static bool lists_same(const struct view_blob *a, const struct view_blob *b)
{
    return a && b && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static void lists_update_devices(struct page_common *c)
{
    struct view_blob *devices = lists_devices(c);

    if (!devices || lists_same(devices, c->devices)) {
        view_blob_unref(devices);
        return;
    }
    view_blob_unref(c->devices);
    c->devices = devices;
    c->devices_number++;
}

/* A page that has not yet read the last lists gets none. */
static void lists_send(struct page *p, struct view_blob *channels, struct view_blob *relay)
{
    struct page_common *c = p->client->hub->pages;

    if (p->devices_number != c->devices_number && c->devices)
        view_client_control(p->client, view_blob_ref(c->devices), true);
    p->devices_number = c->devices_number;
    if (p->lists.waiting) {
        p->lists.dropped++;
        return;
    }
    if (channels)
        view_client_data(p->client, &p->lists, NULL, 0, view_blob_ref(channels), true);
    if (relay)
        view_client_data(p->client, &p->lists, NULL, 0, view_blob_ref(relay), true);
}

static void lists_listed(struct page_common *c)
{
    struct view_blob *channels = lists_channels(c), *relay = lists_relay(c);
    struct page *p;

    lists_update_devices(c);
    page_simulation_listed(c);
    for (p = page_next(c->hub, NULL); p; p = page_next(c->hub, p))
        lists_send(p, channels, relay);
    view_blob_unref(channels);
    view_blob_unref(relay);
}

/* The lists are made once for all pages: for the first one that is visible. */
void page_lists_listed(struct view_client *c)
{
    const struct page *first = page_next(c->hub, NULL);

    if (first && first->client == c)
        lists_listed(c->hub->pages);
}

/* A recording has no channels. */
static bool lists_wanted(const struct page *p)
{
    return !p->client->hub->options->file;
}

bool page_lists_open(struct page *p)
{
    struct view_hub *h = p->client->hub;

    if (!h->pages) {
        h->pages = calloc(1, sizeof(*h->pages));
        if (!h->pages)
            return false;
        h->pages->hub = h;
    }
    h->pages->pages++;
    p->listed = true;
    page_lists_show(p, true);
    return true;
}

void page_lists_show(struct page *p, bool show)
{
    if (!lists_wanted(p) || p->lists_shown == show)
        return;
    p->lists_shown = show;
    view_channels_want(&p->client->hub->channels, show);
}

void page_lists_close(struct page *p)
{
    struct page_common *c = p->client->hub->pages;

    if (!p->listed)
        return;
    page_lists_show(p, false);
    if (--c->pages)
        return;
    page_simulation_finish(c);
    page_drives_end(c->hub);
    view_blob_unref(c->devices);
    p->client->hub->pages = NULL;
    free(c);
}
