/* SPDX-License-Identifier: BSD-3-Clause */
#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "listing.h"
#include "log.h"
#include "udp.h"

#define INTERVAL_NS 1000000000u
#define FRAMES 4
#define FRAME_SIZE 262144

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

/*
 * Channels of daemons that were killed: nobody holds their source lock. A daemon that has just
 * created its channel does not hold it yet, but has not put anything either.
 */
static enum ach_status sweep_one(void *cx, const char *name, enum ach_map map)
{
    ach_channel_t chan;
    ach_info_t info;

    (void)cx;
    if (map != ACH_MAP_USER ||
        (!has_prefix(name, RELAY_STATUS_PREFIX) && !has_prefix(name, RELAY_LISTING_PREFIX)))
        return ACH_OK;
    if (ach_open(&chan, name, NULL) != ACH_OK)
        return ACH_OK;
    if (ach_channel_info(&chan, &info) == ACH_OK && info.newest && !info.sourced)
        ach_unlink(name);
    ach_close(&chan);
    return ACH_OK;
}

static enum ach_status status_create(const char *name)
{
    ach_channel_type_t type = {{{.name = "achd/Status", .encoding = "json"}}};
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, 1);
    ach_create_attr_set_type(&attr, &type);
    return ach_create(name, FRAMES, FRAME_SIZE, &attr);
}

/* Create the channel s->name. */
static bool status_open(struct relay_status *s)
{
    ach_attr_t attr;

    if (status_create(s->name) != ACH_OK)
        return false;
    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    s->open = ach_open(&s->chan, s->name, &attr) == ACH_OK;
    if (!s->open)
        ach_unlink(s->name);
    return s->open;
}

/*
 * If the usual name is taken, a random number is appended, which differs each time: other users may
 * create files in the same directory, and must not guess the name.
 */
static void status_try(struct relay_status *s, uint64_t now)
{
    snprintf(s->name, sizeof(s->name), "%s%u", RELAY_STATUS_PREFIX, s->number);
    if (!status_open(s)) {
        snprintf(s->name, sizeof(s->name), "%s%u.%ld", RELAY_STATUS_PREFIX, s->number, random());
        status_open(s);
    }
    if (!s->open && !s->pause)
        relay_log_error("there is no status yet: %s", ach_errstr());
    else if (s->open && s->pause)
        relay_log_note("there is a status now");
    s->pause = relay_clock_pause(s->pause);
    s->next = now + s->pause;
}

void relay_status_init(struct relay_status *s, unsigned port)
{
    memset(s, 0, sizeof(*s));
    ach_list(sweep_one, NULL);
    s->number = port ? port : (unsigned)getpid();
}

void relay_status_finish(struct relay_status *s)
{
    if (!s->open)
        return;
    ach_unlink(s->name);
    ach_close(&s->chan);
}

bool relay_status_due(const struct relay_status *s, uint64_t now)
{
    return now >= s->next;
}

uint64_t relay_status_deadline(const struct relay_status *s, bool changed)
{
    return changed ? s->next : UINT64_MAX;
}

/* The age that half of the messages did not exceed, to a factor of two. */
static double age_median(const struct relay_counts *c)
{
    uint64_t total = 0, seen = 0;
    unsigned i;

    for (i = 0; i < RELAY_AGE_BUCKETS; i++)
        total += c->ages[i];
    for (i = 0; i < RELAY_AGE_BUCKETS; i++) {
        seen += c->ages[i];
        if (total && 2 * seen >= total)
            return (double)relay_clock_earlier(1ull << i, c->age_max) * 1e-9;
    }
    return 0;
}

static const char *flow_state(const struct relay_flow *f)
{
    return f->state == RELAY_FLOW_OPEN ? "open" : *f->why ? "waiting" : "opening";
}

/* True: it is not zero. */
static bool flow_rate(struct relay_flow *f, double seconds)
{
    struct relay_rates *r = &f->rates;

    r->message_rate = (double)(f->counts.messages - r->messages) / seconds;
    r->byte_rate = (double)(f->counts.bytes - r->bytes) / seconds;
    r->messages = f->counts.messages;
    r->bytes = f->counts.bytes;
    return r->message_rate > 0;
}

static bool update_rates(struct relay_peer *p, struct relay_link *l, double seconds)
{
    bool moving = false;
    unsigned i;

    for (; p; p = p->next)
        for (i = 0; i < p->n_flows; i++)
            moving |= flow_rate(&p->flows[i], seconds);
    for (; l; l = l->next)
        for (i = 0; i < l->n_flows; i++)
            moving |= l->flows[i] && flow_rate(l->flows[i], seconds);
    return moving;
}

static void write_counts(struct json *j, const struct relay_counts *c)
{
    json_uint(j, "messages", c->messages);
    json_uint(j, "bytes", c->bytes);
    json_uint(j, "gaps", c->gaps);
    json_uint(j, "too_old", c->too_old);
    json_uint(j, "known", c->known);
    json_uint(j, "failed", c->failed);
    if (c->arrived) {
        json_number(j, "age_newest", (double)c->age_newest * 1e-9);
        json_number(j, "age_p50", age_median(c));
        json_number(j, "age_max", (double)c->age_max * 1e-9);
    }
}

static void write_flow(struct json *j, const struct relay_flow *f)
{
    json_object(j, NULL);
    json_string(j, "channel", f->local);
    if (strcmp(f->local, f->request.name) != 0)
        json_string(j, "remote", f->request.name);
    json_string(j, "direction", f->sends ? "sends" : "receives");
    json_string(j, "mode", f->request.udp ? "udp" : f->request.all ? "all" : "newest");
    json_uint(j, "priority", f->request.priority);
    json_string(j, "state", flow_state(f));
    if (*f->why)
        json_string(j, "why", f->why);
    if (!f->sends && f->sink && f->sink->open)
        json_bool(j, "resumes", f->sink->relayed);
    json_number(j, "message_rate", f->rates.message_rate);
    json_number(j, "byte_rate", f->rates.byte_rate);
    if (f->expected.pll.next) {
        json_number(j, "period", f->expected.pll.period * 1e-9);
        json_number(j, "jitter", f->expected.pll.jitter * 1e-9);
    }
    write_counts(j, &f->counts);
    json_end_object(j);
}

static void write_connection(struct json *j, const struct relay_link *l, uint64_t now)
{
    uint64_t error;
    int64_t offset;

    if (l->window.last)
        json_number(j, "rtt", (double)l->window.last * 1e-9);
    if (relay_clock_offset(&l->clock, now, &offset, &error)) {
        json_number(j, "offset", (double)offset * 1e-9);
        json_number(j, "offset_error", (double)error * 1e-9);
    }
    json_uint(j, "window", l->window.size);
    json_uint(j, "unacknowledged", l->window.sent - l->window.acked);
    json_uint(j, "bytes_in", l->bytes_in);
    json_uint(j, "bytes_out", l->bytes_out);
    if (l->udp) {
        json_bool(j, "datagrams_sealed", l->udp->out.tls != NULL);
        json_uint(j, "datagrams_in", l->udp->received);
        json_uint(j, "datagrams_out", l->udp->sent);
        json_uint(j, "datagrams_refused", l->udp->refused);
    }
}

static void write_link(struct json *j, const struct relay_link *l, bool flows, uint64_t now)
{
    unsigned i;

    json_object(j, NULL);
    json_string(j, "peer", l->peer);
    json_string(j, "state", l->state == RELAY_LINK_UP ? "up" : "connecting");
    write_connection(j, l, now);
    json_array(j, "flows");
    for (i = 0; flows && i < l->n_flows; i++)
        if (l->flows[i])
            write_flow(j, l->flows[i]);
    json_end_array(j);
    json_end_object(j);
}

static void write_peer(struct json *j, const struct relay_peer *p, bool flows, uint64_t now)
{
    unsigned i;

    json_object(j, NULL);
    json_string(j, "peer", p->name);
    json_uint(j, "port", p->port);
    json_string(j, "state",
                p->up       ? "up"
                : p->link   ? "connecting"
                : p->lookup ? "looking up"
                            : "down");
    json_uint(j, "connections", p->connections);
    json_uint(j, "reconnections", relay_peer_reconnections(p));
    if (*p->why)
        json_string(j, "why", p->why);
    if (p->up)
        write_connection(j, p->link, now);
    json_array(j, "flows");
    for (i = 0; flows && i < p->n_flows; i++)
        write_flow(j, &p->flows[i]);
    json_end_array(j);
    json_end_object(j);
}

static void write_windows(struct json *j, const struct relay_anticipation *a)
{
    if (a->budget <= 0)
        return;
    json_uint(j, "windows", a->windows);
    json_uint(j, "windows_hit", a->hits);
    json_number(j, "windows_cpu", (double)a->spent * 1e-9);
}

static void write_all(FILE *out, const struct relay_status *s, const struct relay_peer *p,
                      const struct relay_link *l, bool flows, uint64_t now)
{
    struct json j = JSON_INIT(out);

    json_object(&j, NULL);
    json_uint(&j, "pid", (uint64_t)getpid());
    if (s->metrics_port)
        json_uint(&j, "metrics_port", s->metrics_port);
    write_windows(&j, s->anticipation);
    json_array(&j, "links");
    for (; p; p = p->next)
        write_peer(&j, p, flows, now);
    for (; l; l = l->next)
        write_link(&j, l, flows, now);
    json_end_array(&j);
    json_end_object(&j);
}

/* Without the flows if it does not fit. */
static enum ach_status put_once(struct relay_status *s, const struct relay_peer *peers,
                                const struct relay_link *links, bool flows, uint64_t now)
{
    enum ach_status r = ACH_FAILED_SYSCALL;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out) {
        write_all(out, s, peers, links, flows, now);
        fclose(out);
        if (size)
            r = ach_put(&s->chan, text, size);
    }
    free(text);
    return r;
}

bool relay_status_put(struct relay_status *s, struct relay_peer *peers, struct relay_link *links,
                      uint64_t now)
{
    bool moving;

    if (!s->open)
        status_try(s, now);
    if (!s->open)
        return true;
    moving = update_rates(peers, links, (double)(s->last ? now - s->last : INTERVAL_NS) * 1e-9);
    s->last = now;
    s->next = now + INTERVAL_NS;
    if (put_once(s, peers, links, true, now) == ACH_OVERFLOW)
        put_once(s, peers, links, false, now);
    return moving;
}
