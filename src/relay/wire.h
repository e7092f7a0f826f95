/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wire.h - the frames that two relays exchange
 *
 * A frame is a header of 8 bytes and a body: u32 length of what follows the length, u8 kind, u8
 * flags, u16 flow. All numbers are little-endian. A string is a u16 length and its bytes.
 * docs/relay.md describes the protocol, tests/relay/wire.c pins its bytes.
 *
 * Decoding checks every length. Strings and messages of a decoded frame point into its bytes.
 */
#ifndef RELAY_WIRE_H
#define RELAY_WIRE_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RELAY_WIRE_MAGIC 0x52484341u /* "ACHR" */
#define RELAY_WIRE_MAJOR 1u
#define RELAY_WIRE_MINOR 0u
#define RELAY_WIRE_HEADER 8u

/* The largest frames: of HELLO, of a flow's terms with a schema, and of all others. */
#define RELAY_WIRE_HELLO_MAX 512u
#define RELAY_WIRE_TERMS_MAX (ACH_TYPE_SCHEMA_MAX + 4096u)
#define RELAY_WIRE_FRAME_MAX (65536u + 128u)

#define RELAY_WIRE_MARKS 64u
#define RELAY_WIRE_TEXT 256u
#define RELAY_WIRE_UNKNOWN UINT64_MAX /* an age that is not known */

enum relay_kind {
    RELAY_HELLO = 1,
    RELAY_OPEN = 2,
    RELAY_OPENED = 3,
    RELAY_REFUSED = 4,
    RELAY_DATA = 5,
    RELAY_MORE = 6,
    RELAY_ACK = 7,
    RELAY_PING = 8,
    RELAY_PONG = 9,
    RELAY_CLOSE = 10,
    RELAY_UDP = 11,
    RELAY_FRAGMENT = 12, /* only in datagrams */
    RELAY_SEEN = 13      /* only in datagrams */
};

/* A frame: its header, and where its body is. */
struct relay_frame {
    uint8_t kind, flags;
    uint16_t flow;
    const unsigned char *body;
    size_t size;
};

struct relay_hello {
    uint8_t major, minor;
    uint64_t instance; /* random, of the sending process */
    uint32_t largest;  /* frame that it accepts */
    char host[RELAY_WIRE_TEXT];
};

/* What a receiver has of one origin. */
struct relay_mark {
    uint64_t epoch;
    uint64_t seq;     /* the highest that it has put */
    uint64_t carried; /* the last sequence that a flow from the channel of this epoch carried */
};

/* The channel of the side that sends the frame. All 0: it has none yet. */
struct relay_terms {
    uint64_t epoch, frame_cnt, frame_size;
    uint32_t clock;
    bool timestamps, typed;
    char type[ACH_TYPE_NAME_MAX], encoding[ACH_TYPE_NAME_MAX], schema_encoding[ACH_TYPE_NAME_MAX];
    const void *schema;
    size_t schema_size;
    unsigned n_marks; /* only of the side that receives messages */
    struct relay_mark marks[RELAY_WIRE_MARKS];
};

struct relay_request {
    bool push, all, udp;
    uint8_t priority;
    char name[ACH_CHAN_NAME_MAX];
    uint64_t max_age; /* nanoseconds; 0: none */
    uint64_t period;  /* nanoseconds between two messages; 0: no limit */
    uint64_t rate;    /* bytes per second; 0: no limit */
};

struct relay_data {
    uint64_t seq; /* in the sender's channel */
    uint64_t gap; /* messages right before it that the flow does not carry */
    ach_origin_t origin;
    uint64_t age, age_error; /* nanoseconds, when it was sent; RELAY_WIRE_UNKNOWN */
    uint64_t sent;           /* the sender's clock */
    uint32_t total;          /* bytes of the whole message */
    const unsigned char *bytes;
    size_t size; /* of this part */
};

struct relay_ack {
    uint64_t consumed; /* bytes of DATA and MORE frames since the connection began */
    uint64_t echo;     /* the newest `sent` */
    uint64_t received; /* when it came, on the receiver's clock */
    uint64_t sent;     /* when the ACK was sent */
};

/* The least size of a part that is not the last. It bounds the number of parts of a message. */
#define RELAY_FRAGMENT_MIN 256u

/* Bytes of a frame FRAGMENT before those of the message. */
#define RELAY_FRAGMENT_HEADER (RELAY_WIRE_HEADER + 90u)

/* A part of a message, in a datagram. Parts may be lost, and come twice or in any order. */
struct relay_fragment {
    uint64_t position; /* bytes of parts on the stream, with this datagram */
    uint64_t epoch;    /* of the sender's channel */
    uint32_t offset;
    uint16_t unit;          /* size of all parts but the last */
    struct relay_data data; /* gap: messages carried or lost since the flow began, with this one */
};

/* Which datagrams have come. */
struct relay_seen {
    uint64_t came;        /* bytes of datagrams with parts */
    struct relay_ack ack; /* consumed: the highest position */
};

#define RELAY_KEY_SIZE 32u

struct relay_key {
    uint8_t id; /* the next key has the next one */
    bool sealed;
    unsigned char bytes[RELAY_KEY_SIZE]; /* zeros if not sealed */
};

/* How datagrams travel. */
struct relay_udp_offer {
    uint64_t stream;        /* random, of the datagrams that this side sends */
    unsigned char group[4]; /* it sends them to this address; zeros: to the peer */
    uint16_t port;          /* of the group; else where this side receives */
    struct relay_key key;   /* of what this side sends */
};

/* A buffer that frames are written into. It grows; after a failure it takes nothing more. */
struct relay_buffer {
    unsigned char *bytes;
    size_t begin, end, room;
    bool failed;
};

void relay_buffer_finish(struct relay_buffer *b);
size_t relay_buffer_left(const struct relay_buffer *b);

/* Room for n more bytes at the end; NULL: no memory. */
unsigned char *relay_buffer_reserve(struct relay_buffer *b, size_t n);
void relay_buffer_consume(struct relay_buffer *b, size_t n);

/* Append a frame. */
void relay_wire_hello(struct relay_buffer *b, const struct relay_hello *h);
void relay_wire_open(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_request *r, const struct relay_terms *t);
void relay_wire_opened(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                       const struct relay_terms *t);
void relay_wire_refused(struct relay_buffer *b, uint16_t flow, enum ach_status status,
                        const char *text);
void relay_wire_close(struct relay_buffer *b, uint16_t flow, const char *text);
void relay_wire_data(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_data *d);
void relay_wire_more(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                     const struct relay_data *d);
void relay_wire_ack(struct relay_buffer *b, const struct relay_ack *a);
void relay_wire_ping(struct relay_buffer *b, uint64_t sent);
void relay_wire_pong(struct relay_buffer *b, const struct relay_ack *a);
void relay_wire_udp(struct relay_buffer *b, uint16_t flow, const struct relay_udp_offer *o);
void relay_wire_fragment(struct relay_buffer *b, uint16_t flow, uint8_t flags,
                         const struct relay_fragment *p);
void relay_wire_seen(struct relay_buffer *b, const struct relay_seen *s);

/*
 * The next frame of n bytes. ACH_EAGAIN: it is incomplete, *need is its size as far as it is
 * known. ACH_CORRUPT: its length is not allowed.
 */
enum ach_status relay_wire_frame(const unsigned char *bytes, size_t n, bool greeted,
                                 struct relay_frame *f, size_t *need);

/* Decode a body. False: it is not what its kind must be. */
bool relay_wire_read_hello(const struct relay_frame *f, struct relay_hello *h);
bool relay_wire_read_open(const struct relay_frame *f, struct relay_request *r,
                          struct relay_terms *t);
bool relay_wire_read_opened(const struct relay_frame *f, struct relay_terms *t);
bool relay_wire_read_refused(const struct relay_frame *f, enum ach_status *status,
                             char text[RELAY_WIRE_TEXT]);
bool relay_wire_read_close(const struct relay_frame *f, char text[RELAY_WIRE_TEXT]);
bool relay_wire_read_data(const struct relay_frame *f, struct relay_data *d);
bool relay_wire_read_more(const struct relay_frame *f, struct relay_data *d);
bool relay_wire_read_ack(const struct relay_frame *f, struct relay_ack *a);
bool relay_wire_read_ping(const struct relay_frame *f, uint64_t *sent);
bool relay_wire_read_pong(const struct relay_frame *f, struct relay_ack *a);
bool relay_wire_read_udp(const struct relay_frame *f, struct relay_udp_offer *o);
bool relay_wire_read_fragment(const struct relay_frame *f, struct relay_fragment *p);
bool relay_wire_read_seen(const struct relay_frame *f, struct relay_seen *s);

#endif
