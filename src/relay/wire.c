/* SPDX-License-Identifier: BSD-3-Clause */
#include "wire.h"

#include <string.h>

#include "number.h"

static void put_number(struct relay_buffer *b, uint64_t value, unsigned n)
{
    unsigned char *to = relay_buffer_reserve(b, n);

    if (!to)
        return;
    relay_number_store(to, value, n);
    b->end += n;
}

static void put_bytes(struct relay_buffer *b, const void *bytes, size_t n)
{
    unsigned char *to = n ? relay_buffer_reserve(b, n) : NULL;

    if (!to)
        return;
    memcpy(to, bytes, n);
    b->end += n;
}

static void put_text(struct relay_buffer *b, const char *text, size_t most)
{
    size_t n = strnlen(text, most - 1);

    put_number(b, n, 2);
    put_bytes(b, text, n);
}

/* Returns how many bytes the buffer held before, for frame_end. */
static size_t frame_begin(struct relay_buffer *b, enum relay_kind kind, uint8_t flags,
                          uint16_t flow)
{
    size_t before = relay_buffer_left(b);

    put_number(b, 0, 4);
    put_number(b, kind, 1);
    put_number(b, flags, 1);
    put_number(b, flow, 2);
    return before;
}

/* Fill in the length. */
static void frame_end(struct relay_buffer *b, size_t before)
{
    size_t length = relay_buffer_left(b) - before - 4;

    if (!b->failed)
        relay_number_store(b->bytes + b->begin + before, length, 4);
}

void relay_wire_hello(struct relay_buffer *b, const struct relay_hello *h)
{
    size_t before = frame_begin(b, RELAY_HELLO, 0, 0);

    put_number(b, RELAY_WIRE_MAGIC, 4);
    put_number(b, h->major, 1);
    put_number(b, h->minor, 1);
    put_number(b, h->instance, 8);
    put_number(b, h->largest, 4);
    put_text(b, h->host, sizeof(h->host));
    frame_end(b, before);
}

static void put_type(struct relay_buffer *b, const struct relay_terms *t)
{
    put_text(b, t->type, sizeof(t->type));
    put_text(b, t->encoding, sizeof(t->encoding));
    put_text(b, t->schema_encoding, sizeof(t->schema_encoding));
    put_number(b, t->schema_size, 4);
    put_bytes(b, t->schema, t->schema_size);
}

static void put_terms(struct relay_buffer *b, const struct relay_terms *t)
{
    unsigned i;

    put_number(b, t->epoch, 8);
    put_number(b, t->frame_cnt, 8);
    put_number(b, t->frame_size, 8);
    put_number(b, t->clock, 4);
    put_number(b, t->timestamps, 1);
    put_number(b, t->typed, 1);
    put_number(b, t->n_marks, 2);
    for (i = 0; i < t->n_marks; i++) {
        put_number(b, t->marks[i].epoch, 8);
        put_number(b, t->marks[i].seq, 8);
        put_number(b, t->marks[i].carried, 8);
    }
    if (t->typed)
        put_type(b, t);
}

void relay_wire_open(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_request *r, const struct relay_terms *t)
{
    size_t before = frame_begin(b, RELAY_OPEN, flags, flow);

    put_number(b, r->push, 1);
    put_number(b, r->all | (unsigned)r->udp << 1, 1);
    put_number(b, r->priority, 1);
    put_text(b, r->name, sizeof(r->name));
    put_number(b, r->max_age, 8);
    put_number(b, r->period, 8);
    put_number(b, r->rate, 8);
    put_terms(b, t);
    frame_end(b, before);
}

void relay_wire_opened(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                       const struct relay_terms *t)
{
    size_t before = frame_begin(b, RELAY_OPENED, flags, flow);

    put_terms(b, t);
    frame_end(b, before);
}

void relay_wire_refused(struct relay_buffer *b, uint16_t flow, enum ach_status status,
                        const char *text)
{
    size_t before = frame_begin(b, RELAY_REFUSED, 0, flow);

    put_number(b, status, 2);
    put_text(b, text, RELAY_WIRE_TEXT);
    frame_end(b, before);
}

void relay_wire_close(struct relay_buffer *b, uint16_t flow, const char *text)
{
    size_t before = frame_begin(b, RELAY_CLOSE, 0, flow);

    put_text(b, text, RELAY_WIRE_TEXT);
    frame_end(b, before);
}

static void put_data(struct relay_buffer *b, const struct relay_data *d)
{
    put_number(b, d->seq, 8);
    put_number(b, d->gap, 8);
    put_number(b, d->origin.epoch, 8);
    put_number(b, d->origin.seq, 8);
    put_number(b, d->origin.stamp, 8);
    put_number(b, d->age, 8);
    put_number(b, d->age_error, 8);
    put_number(b, d->sent, 8);
    put_number(b, d->total, 4);
    put_bytes(b, d->bytes, d->size);
}

void relay_wire_data(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_data *d)
{
    size_t before = frame_begin(b, RELAY_DATA, flags, flow);

    put_data(b, d);
    frame_end(b, before);
}

void relay_wire_more(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_data *d)
{
    size_t before = frame_begin(b, RELAY_MORE, flags, flow);

    put_number(b, d->sent, 8);
    put_bytes(b, d->bytes, d->size);
    frame_end(b, before);
}

static void put_times(struct relay_buffer *b, const struct relay_ack *a)
{
    put_number(b, a->consumed, 8);
    put_number(b, a->echo, 8);
    put_number(b, a->received, 8);
    put_number(b, a->sent, 8);
}

void relay_wire_ack(struct relay_buffer *b, const struct relay_ack *a)
{
    size_t before = frame_begin(b, RELAY_ACK, 0, 0);

    put_times(b, a);
    frame_end(b, before);
}

void relay_wire_ping(struct relay_buffer *b, uint64_t sent)
{
    size_t before = frame_begin(b, RELAY_PING, 0, 0);

    put_number(b, sent, 8);
    frame_end(b, before);
}

void relay_wire_pong(struct relay_buffer *b, const struct relay_ack *a)
{
    size_t before = frame_begin(b, RELAY_PONG, 0, 0);

    put_number(b, a->echo, 8);
    put_number(b, a->received, 8);
    put_number(b, a->sent, 8);
    frame_end(b, before);
}

void relay_wire_udp(struct relay_buffer *b, uint16_t flow, const struct relay_udp_offer *o)
{
    size_t before = frame_begin(b, RELAY_UDP, 0, flow);

    put_number(b, o->stream, 8);
    put_bytes(b, o->group, sizeof(o->group));
    put_number(b, o->port, 2);
    put_number(b, o->key.id, 1);
    put_number(b, o->key.sealed, 1);
    put_bytes(b, o->key.bytes, sizeof(o->key.bytes));
    frame_end(b, before);
}

void relay_wire_fragment(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                         const struct relay_fragment *p)
{
    size_t before = frame_begin(b, RELAY_FRAGMENT, flags, flow);

    put_number(b, p->position, 8);
    put_number(b, p->epoch, 8);
    put_number(b, p->offset, 4);
    put_number(b, p->unit, 2);
    put_data(b, &p->data);
    frame_end(b, before);
}

void relay_wire_seen(struct relay_buffer *b, const struct relay_seen *s)
{
    size_t before = frame_begin(b, RELAY_SEEN, 0, 0);

    put_number(b, s->came, 8);
    put_times(b, &s->ack);
    frame_end(b, before);
}

/* What is left of a body. A read beyond its end sets bad and returns zeros. */
struct relay_reader {
    const unsigned char *at;
    size_t left;
    bool bad;
};

static struct relay_reader reader_of(const struct relay_frame *f)
{
    return (struct relay_reader){.at = f->body, .left = f->size};
}

static const unsigned char *take(struct relay_reader *r, size_t n)
{
    const unsigned char *at = r->at;

    if (r->bad || n > r->left) {
        r->bad = true;
        return NULL;
    }
    r->at += n;
    r->left -= n;
    return at;
}

static uint64_t take_number(struct relay_reader *r, unsigned n)
{
    const unsigned char *at = take(r, n);

    return at ? relay_number_load(at, n) : 0;
}

static bool take_bool(struct relay_reader *r)
{
    uint64_t value = take_number(r, 1);

    r->bad |= value > 1;
    return value == 1;
}

/* Control characters would disturb logs and terminals. */
static void take_text(struct relay_reader *r, char *text, size_t room)
{
    size_t i, n = (size_t)take_number(r, 2);
    const unsigned char *at = take(r, n);

    *text = '\0';
    r->bad |= n >= room;
    if (r->bad)
        return;
    for (i = 0; i < n; i++)
        r->bad |= at[i] < ' ' || at[i] == 127;
    memcpy(text, at, n);
    text[n] = '\0';
}

static bool whole(const struct relay_reader *r)
{
    return !r->bad && r->left == 0;
}

/* The largest length that a frame of this kind may have. */
static size_t length_max(unsigned kind, bool greeted)
{
    if (!greeted)
        return RELAY_WIRE_HELLO_MAX;
    return kind == RELAY_OPEN || kind == RELAY_OPENED ? RELAY_WIRE_TERMS_MAX : RELAY_WIRE_FRAME_MAX;
}

enum ach_status relay_wire_frame(const unsigned char *bytes, size_t n, bool greeted,
                                 struct relay_frame *f, size_t *need)
{
    struct relay_reader r = {.at = bytes, .left = n};
    size_t length;

    *need = RELAY_WIRE_HEADER;
    if (n < RELAY_WIRE_HEADER)
        return ACH_EAGAIN;
    length = (size_t)take_number(&r, 4);
    f->kind = (uint8_t)take_number(&r, 1);
    f->flags = (uint8_t)take_number(&r, 1);
    f->flow = (uint16_t)take_number(&r, 2);
    if (length < 4 || length > length_max(f->kind, greeted))
        return ach_errstr_set(ACH_CORRUPT, "a frame of kind %u and %zu bytes", f->kind, length);
    *need = 4 + length;
    f->body = r.at;
    f->size = length - 4;
    return n < *need ? ACH_EAGAIN : ACH_OK;
}

/* A later minor version may append to the body. */
bool relay_wire_read_hello(const struct relay_frame *f, struct relay_hello *h)
{
    struct relay_reader r = reader_of(f);

    r.bad |= f->kind != RELAY_HELLO || take_number(&r, 4) != RELAY_WIRE_MAGIC;
    h->major = (uint8_t)take_number(&r, 1);
    h->minor = (uint8_t)take_number(&r, 1);
    h->instance = take_number(&r, 8);
    h->largest = (uint32_t)take_number(&r, 4);
    take_text(&r, h->host, sizeof(h->host));
    return !r.bad;
}

static void take_type(struct relay_reader *r, struct relay_terms *t)
{
    take_text(r, t->type, sizeof(t->type));
    take_text(r, t->encoding, sizeof(t->encoding));
    take_text(r, t->schema_encoding, sizeof(t->schema_encoding));
    t->schema_size = (size_t)take_number(r, 4);
    t->schema = take(r, t->schema_size);
    r->bad |= t->schema_size > ACH_TYPE_SCHEMA_MAX;
}

static void take_terms(struct relay_reader *r, struct relay_terms *t)
{
    unsigned i;

    memset(t, 0, sizeof(*t));
    t->epoch = take_number(r, 8);
    t->frame_cnt = take_number(r, 8);
    t->frame_size = take_number(r, 8);
    t->clock = (uint32_t)take_number(r, 4);
    t->timestamps = take_bool(r);
    t->typed = take_bool(r);
    t->n_marks = (unsigned)take_number(r, 2);
    r->bad |= t->n_marks > RELAY_WIRE_MARKS;
    for (i = 0; i < t->n_marks && !r->bad; i++) {
        t->marks[i].epoch = take_number(r, 8);
        t->marks[i].seq = take_number(r, 8);
        t->marks[i].carried = take_number(r, 8);
    }
    if (t->typed)
        take_type(r, t);
}

bool relay_wire_read_open(const struct relay_frame *f, struct relay_request *q,
                          struct relay_terms *t)
{
    struct relay_reader r = reader_of(f);
    uint64_t how;

    q->push = take_bool(&r);
    how = take_number(&r, 1);
    r.bad |= how > 2;
    q->all = how == 1;
    q->udp = how == 2;
    q->priority = (uint8_t)take_number(&r, 1);
    r.bad |= q->priority > 7;
    take_text(&r, q->name, sizeof(q->name));
    q->max_age = take_number(&r, 8);
    q->period = take_number(&r, 8);
    q->rate = take_number(&r, 8);
    take_terms(&r, t);
    return whole(&r);
}

bool relay_wire_read_opened(const struct relay_frame *f, struct relay_terms *t)
{
    struct relay_reader r = reader_of(f);

    take_terms(&r, t);
    return whole(&r);
}

bool relay_wire_read_refused(const struct relay_frame *f, enum ach_status *status,
                             char text[RELAY_WIRE_TEXT])
{
    struct relay_reader r = reader_of(f);

    *status = (enum ach_status)take_number(&r, 2);
    take_text(&r, text, RELAY_WIRE_TEXT);
    return whole(&r);
}

bool relay_wire_read_close(const struct relay_frame *f, char text[RELAY_WIRE_TEXT])
{
    struct relay_reader r = reader_of(f);

    take_text(&r, text, RELAY_WIRE_TEXT);
    return whole(&r);
}

static void take_rest(struct relay_reader *r, struct relay_data *d)
{
    d->size = r->left;
    d->bytes = take(r, r->left);
    r->bad |= d->size == 0;
}

static bool take_data(struct relay_reader *r, struct relay_data *d)
{
    d->seq = take_number(r, 8);
    d->gap = take_number(r, 8);
    d->origin.epoch = take_number(r, 8);
    d->origin.seq = take_number(r, 8);
    d->origin.stamp = take_number(r, 8);
    d->age = take_number(r, 8);
    d->age_error = take_number(r, 8);
    d->sent = take_number(r, 8);
    d->total = (uint32_t)take_number(r, 4);
    take_rest(r, d);
    return !r->bad && d->size <= d->total && d->seq && d->origin.epoch && d->origin.seq;
}

bool relay_wire_read_data(const struct relay_frame *f, struct relay_data *d)
{
    struct relay_reader r = reader_of(f);

    return take_data(&r, d);
}

bool relay_wire_read_more(const struct relay_frame *f, struct relay_data *d)
{
    struct relay_reader r = reader_of(f);

    d->sent = take_number(&r, 8);
    take_rest(&r, d);
    return !r.bad;
}

static void take_times(struct relay_reader *r, struct relay_ack *a)
{
    a->consumed = take_number(r, 8);
    a->echo = take_number(r, 8);
    a->received = take_number(r, 8);
    a->sent = take_number(r, 8);
}

bool relay_wire_read_ack(const struct relay_frame *f, struct relay_ack *a)
{
    struct relay_reader r = reader_of(f);

    take_times(&r, a);
    return whole(&r);
}

bool relay_wire_read_ping(const struct relay_frame *f, uint64_t *sent)
{
    struct relay_reader r = reader_of(f);

    *sent = take_number(&r, 8);
    return whole(&r);
}

bool relay_wire_read_pong(const struct relay_frame *f, struct relay_ack *a)
{
    struct relay_reader r = reader_of(f);

    memset(a, 0, sizeof(*a));
    a->echo = take_number(&r, 8);
    a->received = take_number(&r, 8);
    a->sent = take_number(&r, 8);
    return whole(&r);
}

static void take_bytes(struct relay_reader *r, unsigned char *to, size_t n)
{
    const unsigned char *from = take(r, n);

    if (from)
        memcpy(to, from, n);
}

bool relay_wire_read_udp(const struct relay_frame *f, struct relay_udp_offer *o)
{
    struct relay_reader r = reader_of(f);

    o->stream = take_number(&r, 8);
    take_bytes(&r, o->group, sizeof(o->group));
    o->port = (uint16_t)take_number(&r, 2);
    o->key.id = (uint8_t)take_number(&r, 1);
    o->key.sealed = take_bool(&r);
    take_bytes(&r, o->key.bytes, sizeof(o->key.bytes));
    return whole(&r) && o->port;
}

/* All parts but the last have the same size, so that a part is found by its offset. */
bool relay_wire_read_fragment(const struct relay_frame *f, struct relay_fragment *p)
{
    struct relay_reader r = reader_of(f);
    const struct relay_data *d = &p->data;
    uint32_t left;

    p->position = take_number(&r, 8);
    p->epoch = take_number(&r, 8);
    p->offset = (uint32_t)take_number(&r, 4);
    p->unit = (uint16_t)take_number(&r, 2);
    if (f->kind != RELAY_FRAGMENT || !take_data(&r, &p->data) || p->unit < RELAY_FRAGMENT_MIN ||
        p->offset >= d->total || p->offset % p->unit)
        return false;
    left = d->total - p->offset;
    return d->size == (left < p->unit ? left : p->unit);
}

bool relay_wire_read_seen(const struct relay_frame *f, struct relay_seen *s)
{
    struct relay_reader r = reader_of(f);

    s->came = take_number(&r, 8);
    take_times(&r, &s->ack);
    return whole(&r) && f->kind == RELAY_SEEN && s->came <= s->ack.consumed;
}
