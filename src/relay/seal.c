/* SPDX-License-Identifier: BSD-3-Clause */
#include "seal.h"

#include <string.h>
#include <sys/random.h>

#include "number.h"

#define MAGIC 0x55484341u /* "ACHU" */
#define VERSION 1u

static bool random_bytes(void *to, size_t n)
{
    if (getrandom(to, n, 0) == (ssize_t)n)
        return true;
    ach_errstr_set(ACH_FAILED_SYSCALL, "the system gives no random bytes for a key");
    return false;
}

bool relay_sealer_rotate(struct relay_sealer *s, uint64_t now)
{
    if (s->tls) {
        s->tls->aead_destroy(s->next_aead);
        s->next_aead = NULL;
        if (!random_bytes(s->next.bytes, sizeof(s->next.bytes)) ||
            s->tls->aead_create(s->next.bytes, true, &s->next_aead) != ACH_OK)
            return false;
    }
    if (!s->next.id)
        s->switch_at = now + RELAY_SEAL_SWITCH_NS;
    s->next.sealed = s->tls != NULL;
    s->next.id = s->key.id == UINT8_MAX ? 1 : (uint8_t)(s->key.id + 1);
    return true;
}

static void sealer_switch(struct relay_sealer *s, uint64_t now)
{
    if (s->tls)
        s->tls->aead_destroy(s->aead);
    s->key = s->next;
    s->aead = s->next_aead;
    s->next_aead = NULL;
    explicit_bzero(&s->next, sizeof(s->next));
    s->counter = 0;
    s->made = now;
}

bool relay_sealer_init(struct relay_sealer *s, const struct tls_library *tls, uint64_t now)
{
    memset(s, 0, sizeof(*s));
    s->tls = tls;
    if (!random_bytes(&s->stream, sizeof(s->stream)) || !relay_sealer_rotate(s, now))
        return false;
    sealer_switch(s, now);
    return true;
}

void relay_sealer_finish(struct relay_sealer *s)
{
    if (s->tls) {
        s->tls->aead_destroy(s->aead);
        s->tls->aead_destroy(s->next_aead);
    }
    explicit_bzero(s, sizeof(*s));
}

bool relay_sealer_due(const struct relay_sealer *s, uint64_t life, uint64_t now)
{
    return !s->next.id && (s->counter >= RELAY_SEAL_COUNTER_MAX / 2 || now - s->made >= life);
}

const struct relay_key *relay_sealer_newest(const struct relay_sealer *s)
{
    return s->next.id ? &s->next : &s->key;
}

size_t relay_sealer_overhead(const struct relay_sealer *s)
{
    return RELAY_DATAGRAM_HEADER + (s->tls ? TLS_AEAD_TAG : 0);
}

void relay_sealer_begin(struct relay_buffer *b)
{
    relay_buffer_consume(b, relay_buffer_left(b));
    if (relay_buffer_reserve(b, RELAY_DATAGRAM_HEADER))
        b->end += RELAY_DATAGRAM_HEADER;
}

bool relay_sealer_seal(struct relay_sealer *s, struct relay_buffer *b, uint64_t now)
{
    unsigned char *tag = relay_buffer_reserve(b, TLS_AEAD_TAG), *head = b->bytes;
    size_t size = relay_buffer_left(b) - RELAY_DATAGRAM_HEADER;

    if (!tag || b->failed)
        return false;
    if (s->next.id && now >= s->switch_at)
        sealer_switch(s, now);
    if (s->counter >= RELAY_SEAL_COUNTER_MAX)
        return false;
    relay_number_store(head, MAGIC, 4);
    head[4] = VERSION;
    head[5] = s->key.id;
    head[6] = s->key.sealed;
    head[7] = 0;
    relay_number_store(head + 8, s->stream, 8);
    relay_number_store(head + 16, s->counter, 8);
    s->counter++;
    if (!s->tls)
        return true;
    if (!s->tls->aead_seal(s->aead, s->counter - 1, head, RELAY_DATAGRAM_HEADER,
                           head + RELAY_DATAGRAM_HEADER, size, tag))
        return false;
    b->end += TLS_AEAD_TAG;
    return true;
}

static void opener_forget(const struct relay_opener *o, struct relay_opener_key *k)
{
    if (k->aead)
        o->tls->aead_destroy(k->aead);
    memset(k, 0, sizeof(*k));
}

void relay_opener_finish(struct relay_opener *o)
{
    opener_forget(o, &o->keys[0]);
    opener_forget(o, &o->keys[1]);
}

/* A key with the id of the newest one replaces it. */
bool relay_opener_key(struct relay_opener *o, const struct tls_library *tls,
                      const struct relay_udp_offer *offer, uint64_t now)
{
    struct relay_opener_key k = {.known = true, .sealed = offer->key.sealed, .id = offer->key.id};

    bool same = o->stream == offer->stream;

    if (k.sealed && !tls)
        return false;
    if (same && o->keys[0].known && o->keys[0].sealed != k.sealed) {
        ach_errstr_set(ACH_EINVAL, "a stream of datagrams is sealed or not, but never both");
        return false;
    }
    if (k.sealed && tls->aead_create(offer->key.bytes, false, &k.aead) != ACH_OK)
        return false;
    if (!same)
        relay_opener_finish(o);
    o->tls = tls;
    o->stream = offer->stream;
    if (o->keys[0].known && o->keys[0].id != k.id) {
        opener_forget(o, &o->keys[1]);
        o->keys[1] = o->keys[0];
        o->keys[1].until = now + RELAY_SEAL_GRACE_NS;
    } else {
        opener_forget(o, &o->keys[0]);
    }
    o->keys[0] = k;
    return true;
}

static struct relay_opener_key *opener_find(struct relay_opener *o, uint8_t id, bool sealed,
                                            uint64_t now)
{
    struct relay_opener_key *k;

    for (k = o->keys; k < o->keys + 2; k++)
        if (k->known && k->id == id && k->sealed == sealed && (!k->until || now < k->until))
            return k;
    return NULL;
}

bool relay_opener_open(struct relay_opener *o, unsigned char *bytes, size_t n,
                       struct relay_frame *f, uint64_t now)
{
    size_t tag = n > 6 && bytes[6] ? TLS_AEAD_TAG : 0, need;
    struct relay_opener_key *k;
    uint64_t counter;

    if (n < RELAY_DATAGRAM_HEADER + tag || relay_number_load(bytes, 4) != MAGIC ||
        bytes[4] != VERSION || bytes[6] > 1 || bytes[7] ||
        relay_number_load(bytes + 8, 8) != o->stream)
        return false;
    counter = relay_number_load(bytes + 16, 8);
    k = opener_find(o, bytes[5], bytes[6], now);
    if (!k || !relay_replay_fresh(&k->replay, counter))
        return false;
    n -= tag + RELAY_DATAGRAM_HEADER;
    if (k->sealed &&
        !o->tls->aead_open(k->aead, counter, bytes, RELAY_DATAGRAM_HEADER,
                           bytes + RELAY_DATAGRAM_HEADER, n, bytes + RELAY_DATAGRAM_HEADER + n))
        return false;
    if (relay_wire_frame(bytes + RELAY_DATAGRAM_HEADER, n, true, f, &need) != ACH_OK || need != n)
        return false;
    relay_replay_add(&k->replay, counter);
    return true;
}
