/* SPDX-License-Identifier: BSD-3-Clause */
#include "receiver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 4096u

void relay_receiver_drop(struct relay_flow *f)
{
    free(f->parts);
    f->parts = NULL;
    f->got = f->room = 0;
    relay_flow_charge(f, 0);
}

bool relay_receiver_lost(const struct relay_flow *f)
{
    return !f->sink->open || f->sink->epoch != f->sink_epoch;
}

/* Age when the message arrived, and its error. False: unknown. */
static bool receiver_age(const struct relay_flow *f, const struct relay_data *d, uint64_t now,
                         uint64_t *age, uint64_t *error)
{
    uint64_t local, link_error;
    int64_t offset;

    if (d->age == RELAY_WIRE_UNKNOWN ||
        !relay_clock_offset(&f->link->clock, now, &offset, &link_error))
        return false;
    local = d->sent - (uint64_t)offset;
    *age = d->age + (now > local ? now - local : 0);
    *error = d->age_error + link_error;
    return *age >= d->age && *error >= link_error;
}

static unsigned age_bucket(uint64_t age)
{
    unsigned i = 0;

    while (age && i < RELAY_AGE_BUCKETS - 1) {
        age /= 2;
        i++;
    }
    return i;
}

static void count_age(struct relay_flow *f, uint64_t age, uint64_t now)
{
    f->counts.ages[age_bucket(age)]++;
    f->counts.age_sum += age;
    f->counts.age_newest = age;
    f->counts.arrived = now;
    if (age > f->counts.age_max)
        f->counts.age_max = age;
}

/* For the age of this origin's messages when they are sent on. */
static void learn_offset(struct relay_origin *e, const struct relay_data *d, uint64_t born,
                         uint64_t error)
{
    if (!e || !d->origin.stamp)
        return;
    e->timed = true;
    e->offset = (int64_t)(born - d->origin.stamp);
    e->offset_error = error;
}

/*
 * The flow has carried the message and knows of the gap before it. Another flow from the same
 * channel may have carried a part of the gap since this one was opened.
 */
static void receiver_carried(struct relay_flow *f, const struct relay_data *d)
{
    struct relay_origin *e = relay_origins_add(f->sink->origins, f->peer_epoch);
    uint64_t carried = e ? e->mark.carried : 0;
    uint64_t between = d->seq > carried ? d->seq - carried - 1 : 0;

    f->counts.gaps += carried && between < d->gap ? between : d->gap;
    if (e && d->seq > carried)
        e->mark.carried = d->seq;
}

/* NULL: the message was first put into this channel, or the table is full. */
static struct relay_origin *origin_entry(const struct relay_sink *s, const struct relay_data *d)
{
    return d->origin.epoch == s->epoch ? NULL : relay_origins_add(s->origins, d->origin.epoch);
}

static void count_put(struct relay_flow *f, const struct relay_data *d, enum relay_put r)
{
    if (r == RELAY_PUT_KNOWN) {
        f->counts.known++;
    } else if (r == RELAY_PUT_FAILED) {
        f->counts.failed++;
    } else {
        f->counts.messages++;
        f->counts.bytes += d->total;
    }
}

/* The whole message is here. */
static enum relay_put deliver(struct relay_flow *f, const struct relay_data *d, const void *bytes)
{
    uint64_t now = relay_clock_now(), age = 0, error = 0;
    bool known = receiver_age(f, d, now, &age, &error);
    struct relay_origin *e = origin_entry(f->sink, d);

    if (f->request.max_age && (!known || age + error > f->request.max_age)) {
        f->counts.too_old++;
    } else {
        enum relay_put r;

        if (known)
            learn_offset(e, d, now - age, error);
        r = relay_sink_put(f->sink, e, &d->origin, bytes, d->total);
        if (r == RELAY_PUT_LOST || r == RELAY_PUT_BUSY)
            return r;
        if (known)
            count_age(f, age, now);
        count_put(f, d, r);
    }
    receiver_carried(f, d);
    return RELAY_PUT_DONE;
}

static enum relay_put receiver_fail(struct relay_flow *f, const struct relay_data *d)
{
    f->counts.failed++;
    receiver_carried(f, d);
    return RELAY_PUT_FAILED;
}

/* Memory grows with the bytes that arrive, not with the size that the peer has announced. */
static bool receiver_room(struct relay_flow *f, size_t needed)
{
    size_t room = f->room ? f->room : ROOM_FIRST;
    unsigned char *more;

    while (room < needed)
        room *= 2;
    if (room == f->room)
        return true;
    if (!relay_flow_charge(f, room))
        return false;
    more = realloc(f->parts, room);
    if (!more)
        return false;
    f->parts = more;
    f->room = room;
    return true;
}

static enum relay_put receiver_append(struct relay_flow *f, const struct relay_data *d)
{
    enum relay_put r;

    if (d->size > f->head.total - f->got || !receiver_room(f, f->got + d->size)) {
        relay_receiver_drop(f);
        return receiver_fail(f, &f->head);
    }
    memcpy(f->parts + f->got, d->bytes, d->size);
    f->got += d->size;
    if (f->got < f->head.total)
        return RELAY_PUT_DONE;
    r = deliver(f, &f->head, f->parts);
    relay_receiver_drop(f);
    return r;
}

static bool receiver_too_large(struct relay_flow *f, uint64_t size)
{
    uint64_t limit = f->link->host->limits.message, capacity = f->sink->capacity;
    char why[RELAY_WIRE_TEXT];

    if (size <= limit && size <= capacity)
        return false;
    snprintf(why, sizeof(why), "a message was larger than %s of %llu bytes",
             size > limit ? "the limit" : "the channel's capacity",
             (unsigned long long)(size > limit ? limit : capacity));
    relay_flow_explain(f, ACH_OVERFLOW, why);
    return true;
}

enum relay_put relay_receiver_data(struct relay_flow *f, const struct relay_data *d)
{
    relay_anticipation_event(&f->link->host->loop.anticipation, &f->expected, 0);
    relay_receiver_drop(f);
    if (relay_receiver_lost(f))
        return RELAY_PUT_LOST;
    if (receiver_too_large(f, d->total))
        return receiver_fail(f, d);
    if (d->size == d->total)
        return deliver(f, d, d->bytes);
    f->head = *d;
    return receiver_append(f, d);
}

enum relay_put relay_receiver_more(struct relay_flow *f, const struct relay_data *d)
{
    if (!f->parts)
        return RELAY_PUT_DONE;
    return relay_receiver_lost(f) ? RELAY_PUT_LOST : receiver_append(f, d);
}
