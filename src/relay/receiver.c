/* SPDX-License-Identifier: BSD-3-Clause */
#include "receiver.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 4096u

void relay_receiver_drop(struct relay_flow *f)
{
    free(f->parts);
    f->parts = NULL;
    f->got = f->room = 0;
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

static bool receiver_put(struct relay_flow *f, struct relay_origin *e, const struct relay_data *d,
                         const void *bytes)
{
    switch (relay_sink_put(f->sink, e, &d->origin, bytes, d->total)) {
    case RELAY_PUT_DONE:
        f->counts.messages++;
        f->counts.bytes += d->total;
        return true;
    case RELAY_PUT_KNOWN:
        f->counts.known++;
        return true;
    case RELAY_PUT_LOST:
        return false;
    default:
        f->counts.failed++;
        return true;
    }
}

/* The whole message is here. */
static bool deliver(struct relay_flow *f, const struct relay_data *d, const void *bytes)
{
    uint64_t now = relay_clock_now(), age = 0, error = 0;
    bool known = receiver_age(f, d, now, &age, &error);
    struct relay_origins *o = f->sink->origins;
    struct relay_origin *e = relay_origins_add(o, d->origin.epoch);

    f->counts.gaps += d->gap;
    if (f->request.max_age && (!known || age + error > f->request.max_age)) {
        f->counts.too_old++;
    } else {
        if (known) {
            learn_offset(e, d, now - age, error);
            count_age(f, age, now);
        }
        if (!receiver_put(f, e, d, bytes))
            return false;
    }
    if (d->origin.epoch != f->peer_epoch)
        e = relay_origins_add(o, f->peer_epoch);
    if (e)
        e->mark.carried = d->seq;
    return true;
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
    more = realloc(f->parts, room);
    if (!more)
        return false;
    f->parts = more;
    f->room = room;
    return true;
}

static bool receiver_append(struct relay_flow *f, const struct relay_data *d)
{
    bool ok;

    if (d->size > f->head.total - f->got || !receiver_room(f, f->got + d->size)) {
        relay_receiver_drop(f);
        f->counts.failed++;
        return true;
    }
    memcpy(f->parts + f->got, d->bytes, d->size);
    f->got += d->size;
    if (f->got < f->head.total)
        return true;
    ok = deliver(f, &f->head, f->parts);
    relay_receiver_drop(f);
    return ok;
}

bool relay_receiver_data(struct relay_flow *f, const struct relay_data *d)
{
    relay_receiver_drop(f);
    if (d->total > f->sink->capacity) {
        f->counts.failed++;
        f->counts.gaps += d->gap;
        return true;
    }
    if (d->size == d->total)
        return deliver(f, d, d->bytes);
    f->head = *d;
    return receiver_append(f, d);
}

bool relay_receiver_more(struct relay_flow *f, const struct relay_data *d)
{
    return !f->parts || receiver_append(f, d);
}
