/* SPDX-License-Identifier: BSD-3-Clause */
#include "sender.h"

#include <string.h>

#include "link.h"

#define DATA_HEADER (RELAY_WIRE_HEADER + 68u)
#define MORE_HEADER (RELAY_WIRE_HEADER + 8u)

/* Messages to skip before other flows have their turn. */
#define SKIPS_MAX 256u

static const struct relay_mark *sender_mark(const struct relay_flow *f, uint64_t epoch)
{
    unsigned i;

    for (i = 0; i < f->n_marks; i++)
        if (f->marks[i].epoch == epoch)
            return &f->marks[i];
    return NULL;
}

void relay_sender_accept(struct relay_flow *f, const struct relay_terms *receiver,
                         uint8_t generation)
{
    f->generation = generation;
    f->peer_epoch = receiver->epoch;
    f->n_marks = receiver->n_marks;
    memcpy(f->marks, receiver->marks, sizeof(f->marks));
}

/* A new flow misses no message that was put before it, unless it is to carry all. */
static uint64_t sender_first(const struct relay_flow *f)
{
    ach_info_t info;

    if (ach_channel_info(&f->source.chan, &info) != ACH_OK)
        return 0;
    return f->request.all && info.oldest ? info.oldest - 1 : info.newest;
}

void relay_sender_begin(struct relay_flow *f)
{
    const struct relay_mark *own = sender_mark(f, f->source.epoch);

    f->carried = own ? own->carried : 0;
    f->last = own && own->seq > own->carried ? own->seq : f->carried;
    if (!f->last)
        f->last = sender_first(f);
    f->gap = 0;
    f->count = 0;
    f->working = false;
}

/* Has the receiver this message, or is it the receiver's own? */
static bool is_known(const struct relay_flow *f)
{
    const struct relay_mark *m;

    if (f->source.seq <= f->carried || f->source.origin.epoch == f->peer_epoch)
        return true;
    m = sender_mark(f, f->source.origin.epoch);
    return m && f->source.origin.seq <= m->seq;
}

static void count_gap(struct relay_flow *f)
{
    if (f->source.seq <= f->last)
        return;
    f->gap += f->source.seq - f->last - 1;
    f->last = f->source.seq;
}

/* A timestamp in the future is of a clock that was set, or that began anew: it says nothing. */
static uint64_t age_of(uint64_t now, uint64_t stamp, uint64_t error)
{
    if (now >= stamp)
        return now - stamp;
    return stamp - now <= error ? 0 : RELAY_WIRE_UNKNOWN;
}

/*
 * The time of the origin's clock is known exactly for messages of this channel. For others it is
 * known from the flow that brought them, unless the daemon was restarted since.
 */
static void find_age(struct relay_flow *f, struct relay_data *d)
{
    const struct relay_source *s = &f->source;
    uint64_t stamp = s->origin.stamp;
    struct relay_origin *e;

    d->age = RELAY_WIRE_UNKNOWN;
    d->age_error = 0;
    if (!stamp)
        return;
    if (s->local) {
        d->age = age_of(relay_clock_read(s->clock), stamp, 0);
        return;
    }
    e = f->sink->open ? relay_origins_find(f->sink->origins, s->origin.epoch) : NULL;
    if (!e || !e->timed)
        return;
    d->age = age_of(relay_clock_now(), stamp + (uint64_t)e->offset, e->offset_error);
    d->age_error = e->offset_error;
}

static bool is_too_old(const struct relay_flow *f, const struct relay_data *d)
{
    return f->request.max_age &&
           (d->age == RELAY_WIRE_UNKNOWN || d->age + d->age_error > f->request.max_age);
}

/* Take the next message that the receiver needs. */
static enum relay_sent sender_take(struct relay_flow *f, struct relay_data *d)
{
    unsigned skips;

    for (skips = 0; skips < SKIPS_MAX; skips++) {
        enum ach_status r = relay_source_get(&f->source, f->request.all);

        if (r != ACH_OK)
            return r == ACH_ENOENT ? RELAY_SENT_LOST : RELAY_SENT_NONE;
        if (!f->asks && !relay_flow_charge(f, f->source.room))
            return RELAY_SENT_LARGE;
        count_gap(f);
        if (is_known(f)) {
            f->counts.known++;
            continue;
        }
        find_age(f, d);
        if (!is_too_old(f, d))
            return RELAY_SENT;
        f->counts.too_old++;
        f->gap++;
    }
    f->not_before = relay_clock_now();
    return RELAY_SENT_LATER;
}

/* When it was put is known if the channel has timestamps. */
static void learn_period(struct relay_flow *f, const struct relay_data *d, uint64_t now)
{
    bool known = f->source.local && d->age != RELAY_WIRE_UNKNOWN;

    relay_anticipation_event(&f->link->host->loop.anticipation, &f->expected,
                             known ? now - d->age : 0);
}

static void count_message(struct relay_flow *f, uint64_t now)
{
    uint64_t pause = f->request.period, size = f->source.size;

    f->counts.messages++;
    f->counts.bytes += size;
    f->counts.gaps += f->gap;
    f->gap = 0;
    if (f->request.rate && size * 1000000000u / f->request.rate > pause)
        pause = size * 1000000000u / f->request.rate;
    f->not_before = pause ? (f->not_before + pause > now ? f->not_before + pause : now + pause) : 0;
}

static void describe(const struct relay_flow *f, struct relay_data *d)
{
    d->seq = f->source.seq;
    d->gap = f->gap;
    d->origin = f->source.origin;
    d->total = (uint32_t)f->source.size;
    d->bytes = f->source.bytes;
}

static void append_first(struct relay_flow *f, struct relay_buffer *out, size_t room,
                         struct relay_data *d)
{
    describe(f, d);
    d->size = room > DATA_HEADER ? room - DATA_HEADER : 1;
    if (d->size > f->source.size)
        d->size = f->source.size;
    relay_wire_data(out, f->number, f->generation, d);
    f->working = true;
    f->offset = d->size;
    count_message(f, d->sent);
    learn_period(f, d, d->sent);
}

static void append_next(struct relay_flow *f, struct relay_buffer *out, size_t room,
                        struct relay_data *d)
{
    d->bytes = f->source.bytes + f->offset;
    d->size = room > MORE_HEADER ? room - MORE_HEADER : 1;
    if (d->size > f->source.size - f->offset)
        d->size = f->source.size - f->offset;
    relay_wire_more(out, f->number, f->generation, d);
    f->offset += d->size;
}

enum relay_sent relay_sender_fill(struct relay_flow *f, struct relay_buffer *out, size_t room)
{
    struct relay_data d = {.sent = relay_clock_now()};

    if (f->working) {
        append_next(f, out, room, &d);
    } else {
        enum relay_sent r;

        if (f->not_before > d.sent)
            return RELAY_SENT_LATER;
        r = sender_take(f, &d);
        if (r != RELAY_SENT)
            return r;
        append_first(f, out, room, &d);
    }
    if (f->offset == f->source.size)
        f->working = false;
    return RELAY_SENT;
}

static enum relay_sent sender_begin_parts(struct relay_flow *f, uint64_t now)
{
    struct relay_data *d = &f->head;
    enum relay_sent r;

    if (f->not_before > now)
        return RELAY_SENT_LATER;
    r = sender_take(f, d);
    if (r != RELAY_SENT)
        return r;
    describe(f, d);
    d->sent = now;
    f->count += f->gap + 1;
    d->gap = f->count;
    f->working = true;
    f->offset = 0;
    count_message(f, now);
    learn_period(f, d, now);
    return RELAY_SENT;
}

enum relay_sent relay_sender_fragment(struct relay_flow *f, struct relay_fragment *p, size_t unit)
{
    uint64_t now = relay_clock_now();
    enum relay_sent r = f->working ? RELAY_SENT : sender_begin_parts(f, now);
    struct relay_data *d = &p->data;

    if (r != RELAY_SENT)
        return r;
    *d = f->head;
    if (d->age != RELAY_WIRE_UNKNOWN)
        d->age += now - d->sent;
    d->sent = now;
    d->bytes = f->source.bytes + f->offset;
    d->size = f->source.size - f->offset < unit ? f->source.size - f->offset : unit;
    p->epoch = f->source.epoch;
    p->offset = (uint32_t)f->offset;
    p->unit = (uint16_t)unit;
    return RELAY_SENT;
}

void relay_sender_fragmented(struct relay_flow *f, const struct relay_fragment *p)
{
    f->offset += p->data.size;
    if (f->offset == f->source.size)
        f->working = false;
}
