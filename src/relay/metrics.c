/* SPDX-License-Identifier: BSD-3-Clause */
#include "metrics.h"

#include <math.h>
#include <string.h>

#include "utf8.h"

/* Samples in a piece. */
#define PIECE 64u

/* Bounds of the histogram of ages: powers of two of nanoseconds, from 66 us to 17 s. */
#define AGE_FIRST 16u
#define AGE_LAST 34u
#define AGE_STEP 2u

/* A connection: a peer's, or one that was accepted. */
struct metrics_subject {
    const struct relay_peer *peer; /* NULL: accepted */
    const struct relay_link *link; /* NULL: not connected */
    const struct relay_flow *flow;
    unsigned number, flow_number;
    uint64_t now;
};

/* Values that are not known are NAN, and left out. */

static double value_up(const struct metrics_subject *s)
{
    return s->link && s->link->state == RELAY_LINK_UP;
}

static double value_reconnections(const struct metrics_subject *s)
{
    return s->peer ? (double)relay_peer_reconnections(s->peer) : NAN;
}

static double value_round_trip(const struct metrics_subject *s)
{
    return s->link && s->link->window.last ? (double)s->link->window.last * 1e-9 : NAN;
}

static bool metrics_clock(const struct metrics_subject *s, int64_t *offset, uint64_t *error)
{
    return s->link && relay_clock_offset(&s->link->clock, s->now, offset, error);
}

static double value_offset(const struct metrics_subject *s)
{
    uint64_t error;
    int64_t offset;

    return metrics_clock(s, &offset, &error) ? (double)offset * 1e-9 : NAN;
}

static double value_error(const struct metrics_subject *s)
{
    uint64_t error;
    int64_t offset;

    return metrics_clock(s, &offset, &error) ? (double)error * 1e-9 : NAN;
}

static double value_window(const struct metrics_subject *s)
{
    return s->link ? (double)s->link->window.size : NAN;
}

static double value_unacknowledged(const struct metrics_subject *s)
{
    return s->link ? (double)(s->link->window.sent - s->link->window.acked) : NAN;
}

static double value_received(const struct metrics_subject *s)
{
    return s->link ? (double)s->link->bytes_in : NAN;
}

static double value_sent(const struct metrics_subject *s)
{
    return s->link ? (double)s->link->bytes_out : NAN;
}

static double value_open(const struct metrics_subject *s)
{
    return s->flow->state == RELAY_FLOW_OPEN;
}

static double value_messages(const struct metrics_subject *s)
{
    return (double)s->flow->counts.messages;
}

static double value_bytes(const struct metrics_subject *s)
{
    return (double)s->flow->counts.bytes;
}

static double value_lost(const struct metrics_subject *s)
{
    return (double)s->flow->counts.gaps;
}

static double value_too_old(const struct metrics_subject *s)
{
    return (double)s->flow->counts.too_old;
}

static double value_duplicates(const struct metrics_subject *s)
{
    return (double)s->flow->counts.known;
}

static double value_failed(const struct metrics_subject *s)
{
    return (double)s->flow->counts.failed;
}

static double value_newest_age(const struct metrics_subject *s)
{
    const struct relay_counts *c = &s->flow->counts;

    return c->arrived ? (double)(s->now - c->arrived + c->age_newest) * 1e-9 : NAN;
}

#define NAME(what) "ach_relay_" what

static const struct metrics_family {
    const char *name, *type, *help;
    bool flows;
    double (*value)(const struct metrics_subject *s); /* NULL: the histogram of ages */
} families[] = {
    {NAME("up"), "gauge", "1 if the connection is up, 0 if not.", false, value_up},
    {NAME("reconnections_total"), "counter", "Connections that replaced one that was lost.", false,
     value_reconnections},
    {NAME("round_trip_seconds"), "gauge", "Last round trip to the peer.", false, value_round_trip},
    {NAME("clock_offset_seconds"), "gauge", "Clock of the peer less the clock of this host.", false,
     value_offset},
    {NAME("clock_error_seconds"), "gauge", "Largest error of the clock offset.", false,
     value_error},
    {NAME("window_bytes"), "gauge", "Most bytes that may be unacknowledged.", false, value_window},
    {NAME("unacknowledged_bytes"), "gauge", "Bytes of messages sent and not acknowledged.", false,
     value_unacknowledged},
    {NAME("link_received_bytes_total"), "counter", "Bytes received on this connection.", false,
     value_received},
    {NAME("link_sent_bytes_total"), "counter", "Bytes sent on this connection.", false, value_sent},
    {NAME("flow_open"), "gauge", "1 if messages of the channel can pass, 0 if not.", true,
     value_open},
    {NAME("messages_total"), "counter", "Messages sent, or received and put.", true,
     value_messages},
    {NAME("bytes_total"), "counter", "Bytes of these messages.", true, value_bytes},
    {NAME("lost_total"), "counter", "Messages of the sender's channel that were not carried.", true,
     value_lost},
    {NAME("too_old_total"), "counter", "Messages older than max-age, not put.", true,
     value_too_old},
    {NAME("duplicates_total"), "counter", "Messages that the receiver had already, not put.", true,
     value_duplicates},
    {NAME("failed_total"), "counter", "Messages that could not be put.", true, value_failed},
    {NAME("newest_age_seconds"), "gauge", "Present age of the newest received message.", true,
     value_newest_age},
    {NAME("age_seconds"), "histogram", "Age of received messages at arrival.", true, NULL},
};

#define FAMILIES (sizeof(families) / sizeof(*families))

/* Only backslash, quote and newline are escaped. Bytes that are not UTF-8 become U+FFFD. */
static void write_label(FILE *out, const char *text)
{
    size_t n, len = strlen(text);

    for (; len; text += n, len -= n) {
        n = utf8_length(text, len);
        if (n > 1) {
            fwrite(text, 1, n, out);
        } else if (n == 0) {
            fputs("\xef\xbf\xbd", out);
            n = 1;
        } else if (*text == '\n') {
            fputs("\\n", out);
        } else {
            if (*text == '\\' || *text == '"')
                putc('\\', out);
            putc(*text, out);
        }
    }
}

static void write_labels(FILE *out, const struct metrics_subject *s)
{
    fputs("{peer=\"", out);
    if (s->peer && strchr(s->peer->name, ':'))
        putc('[', out);
    write_label(out, s->peer ? s->peer->name : s->link->peer);
    if (s->peer)
        fprintf(out, "%s:%u", strchr(s->peer->name, ':') ? "]" : "", s->peer->port);
    fprintf(out, "\",link=\"%u\"", s->number);
    if (!s->flow)
        return;
    fprintf(out, ",flow=\"%u\",channel=\"", s->flow_number);
    write_label(out, s->flow->local);
    fprintf(out, "\",direction=\"%s\"", s->flow->sends ? "sends" : "receives");
}

/* end: the labels' end, with further labels. */
static void write_sample(FILE *out, const char *name, const char *suffix,
                         const struct metrics_subject *s, const char *end, double value)
{
    if (isnan(value))
        return;
    fprintf(out, "%s%s", name, suffix);
    write_labels(out, s);
    fprintf(out, "%s %.15g\n", end, value);
}

static void write_ages(FILE *out, const char *name, const struct metrics_subject *s)
{
    const struct relay_counts *c = &s->flow->counts;
    char end[32];
    uint64_t sum = 0;
    unsigned i;

    if (s->flow->sends)
        return;
    for (i = 0; i < RELAY_AGE_BUCKETS; i++) {
        sum += c->ages[i];
        if (i < AGE_FIRST || i > AGE_LAST || (i - AGE_FIRST) % AGE_STEP)
            continue;
        snprintf(end, sizeof(end), ",le=\"%.9g\"}", (double)(1ull << i) * 1e-9);
        write_sample(out, name, "_bucket", s, end, (double)sum);
    }
    write_sample(out, name, "_bucket", s, ",le=\"+Inf\"}", (double)sum);
    write_sample(out, name, "_sum", s, "}", (double)c->age_sum * 1e-9);
    write_sample(out, name, "_count", s, "}", (double)sum);
}

static void write_value(FILE *out, const struct metrics_family *f, const struct metrics_subject *s)
{
    if (f->flows && !s->flow)
        return;
    if (f->value)
        write_sample(out, f->name, "", s, "}", f->value(s));
    else if (s->flow)
        write_ages(out, f->name, s);
}

/* The accepted link with the smallest slot from `slot` on. NULL: there is none. */
static const struct relay_link *link_from(const struct relay_link *l, unsigned slot)
{
    const struct relay_link *found = NULL;

    for (; l; l = l->next)
        if (l->slot >= slot && (!found || l->slot < found->slot))
            found = l;
    return found;
}

/* The connection with the smallest number from `number` on. Peers are first. */
static bool subject_from(struct metrics_subject *s, const struct relay_peer *p,
                         const struct relay_link *l, unsigned number)
{
    unsigned n = 0;

    for (; p && n < number; p = p->next)
        n++;
    *s = (struct metrics_subject){.peer = p, .number = number, .now = s->now};
    if (p) {
        s->link = p->up ? p->link : NULL;
        return true;
    }
    s->link = link_from(l, number - n);
    if (s->link)
        s->number = n + s->link->slot;
    return s->link != NULL;
}

static unsigned subject_flows(const struct metrics_subject *s)
{
    return s->peer ? s->peer->n_flows : s->link->n_flows;
}

static const struct relay_flow *subject_flow(const struct metrics_subject *s, unsigned i)
{
    return s->peer ? &s->peer->flows[i] : s->link->flows[i];
}

/* Write a sample of the subject. False: it has no further one in this family. */
static bool write_next(FILE *out, struct relay_metrics_place *p, struct metrics_subject *s)
{
    const struct metrics_family *f = &families[p->family];

    if (f->flows) {
        if (p->flow >= subject_flows(s))
            return false;
        s->flow_number = p->flow++;
        s->flow = subject_flow(s, s->flow_number);
    }
    write_value(out, f, s);
    return f->flows;
}

static void write_head(FILE *out, struct relay_metrics_place *p)
{
    const struct metrics_family *f = &families[p->family];

    if (!p->begun)
        fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, f->type);
    p->begun = true;
}

bool relay_metrics_write(FILE *out, struct relay_metrics_place *p, const struct relay_peer *peers,
                         const struct relay_link *links, uint64_t now)
{
    struct metrics_subject s = {.now = now};
    unsigned n;

    for (n = 0; n < PIECE && p->family < FAMILIES; n++) {
        write_head(out, p);
        if (!subject_from(&s, peers, links, p->link)) {
            *p = (struct relay_metrics_place){.family = p->family + 1};
            continue;
        }
        if (s.number != p->link)
            p->flow = 0;
        p->link = s.number;
        if (write_next(out, p, &s))
            continue;
        p->link++;
        p->flow = 0;
    }
    return p->family < FAMILIES;
}
