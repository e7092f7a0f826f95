/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * seal.h - datagrams: a header, and one frame that is sealed with a key
 *
 * Header: u32 magic, u8 version, u8 id of the key, u8 1 if sealed, u8 0, u64 stream, u64 counter.
 * The frame follows, and if it is sealed, a tag of 16 bytes. The counter is the nonce.
 *
 * A key is made by the sender and told to the receiver over the link. A new key is told first and
 * used half a second later. A receiver accepts the old one for a second.
 */
#ifndef RELAY_SEAL_H
#define RELAY_SEAL_H

#include "../tls/tls.h"
#include "replay.h"
#include "wire.h"

#define RELAY_DATAGRAM_HEADER 24u

/* Without fragments in any network: IPv6 carries packets of 1,280 bytes everywhere. */
#define RELAY_DATAGRAM_MAX 1232u

#define RELAY_SEAL_SWITCH_NS 500000000u
#define RELAY_SEAL_GRACE_NS 1000000000u

/* Datagrams with one key at most. */
#define RELAY_SEAL_COUNTER_MAX ((uint64_t)1 << 32)

/* The side that sends. */
struct relay_sealer {
    const struct tls_library *tls; /* NULL: not sealed */
    uint64_t stream, counter;
    struct relay_key key, next; /* next.id 0: there is none */
    struct tls_aead *aead, *next_aead;
    uint64_t made, switch_at;
};

/* tls NULL: datagrams are not sealed. False: ach_errstr. */
bool relay_sealer_init(struct relay_sealer *s, const struct tls_library *tls, uint64_t now);
void relay_sealer_finish(struct relay_sealer *s);

/* Make the next key, or another next one. The receivers must be told. False: ach_errstr. */
bool relay_sealer_rotate(struct relay_sealer *s, uint64_t now);

/* Is it time for relay_sealer_rotate? Keys live for `life`. */
bool relay_sealer_due(const struct relay_sealer *s, uint64_t life, uint64_t now);

/* The key that receivers must know next. */
const struct relay_key *relay_sealer_newest(const struct relay_sealer *s);

/* Begin a datagram in an empty buffer; then append a frame; then seal it. */
void relay_sealer_begin(struct relay_buffer *b);
bool relay_sealer_seal(struct relay_sealer *s, struct relay_buffer *b, uint64_t now);

/* Bytes of a datagram that are not of its frame. */
size_t relay_sealer_overhead(const struct relay_sealer *s);

struct relay_opener_key {
    bool known, sealed;
    uint8_t id;
    uint64_t until; /* 0: no end is set */
    struct tls_aead *aead;
    struct relay_replay replay;
};

/* The side that receives. */
struct relay_opener {
    const struct tls_library *tls;
    uint64_t stream;
    struct relay_opener_key keys[2]; /* the newest is first */
};

/* The sender has told a key. False: ach_errstr. */
bool relay_opener_key(struct relay_opener *o, const struct tls_library *tls,
                      const struct relay_udp_offer *offer, uint64_t now);
void relay_opener_finish(struct relay_opener *o);

/* Open n bytes in place. False: they are not a datagram of this stream, or were seen. */
bool relay_opener_open(struct relay_opener *o, unsigned char *bytes, size_t n,
                       struct relay_frame *f, uint64_t now);

#endif
