/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.c - the bytes of each frame, and that no other bytes are accepted */
#include "wire.h"

#include "check.h"

#define SCHEMA "float64 x\n"
#define ROUNDS 20000

static struct relay_terms terms(void)
{
    struct relay_terms t = {.epoch = 0x1122334455667788u,
                            .frame_cnt = 16,
                            .frame_size = 512,
                            .clock = 1,
                            .timestamps = true,
                            .typed = true,
                            .type = "demo/msg/X",
                            .encoding = "cdr",
                            .schema_encoding = "ros2msg",
                            .schema = SCHEMA,
                            .schema_size = sizeof(SCHEMA) - 1,
                            .n_marks = 1,
                            .marks = {{.epoch = 5, .seq = 6, .carried = 7}}};

    return t;
}

static const struct relay_request request = {.push = true,
                                             .all = true,
                                             .priority = 7,
                                             .name = "imu",
                                             .max_age = 100,
                                             .period = 2,
                                             .rate = 3};

static const struct relay_data data = {.seq = 9,
                                       .gap = 2,
                                       .origin = {10, 11, 12},
                                       .age = 13,
                                       .age_error = 14,
                                       .sent = 15,
                                       .total = 5,
                                       .bytes = (const unsigned char *)"hel",
                                       .size = 3};

static const struct relay_fragment part = {.position = 16,
                                           .epoch = 17,
                                           .offset = 256,
                                           .unit = 256,
                                           .data = {.seq = 9,
                                                    .gap = 2,
                                                    .origin = {10, 11, 12},
                                                    .age = 13,
                                                    .age_error = 14,
                                                    .sent = 15,
                                                    .total = 259,
                                                    .bytes = (const unsigned char *)"hel",
                                                    .size = 3}};

static const struct relay_udp_offer offer = {.stream = 0x0102030405060708u,
                                             .group = {239, 1, 2, 3},
                                             .port = 8077,
                                             .key = {.id = 4, .sealed = true, .bytes = {5, 6}}};

static const struct relay_ack ack = {.consumed = 1, .echo = 2, .received = 3, .sent = 4};

static void write_hello(struct relay_buffer *b)
{
    const struct relay_hello h = {
        .major = 1, .minor = 0, .instance = 0x0102030405060708u, .largest = 65664, .host = "r2"};

    relay_wire_hello(b, &h);
}

static void write_open(struct relay_buffer *b)
{
    const struct relay_terms t = terms();

    relay_wire_open(b, 3, 1, &request, &t);
}

static void write_opened(struct relay_buffer *b)
{
    struct relay_terms t = terms();

    t.typed = false;
    relay_wire_opened(b, 3, 2, &t);
}

static void write_refused(struct relay_buffer *b)
{
    relay_wire_refused(b, 3, ACH_BAD_TYPE, "no");
}

static void write_data(struct relay_buffer *b)
{
    relay_wire_data(b, 4, 1, &data);
}

static void write_more(struct relay_buffer *b)
{
    relay_wire_more(b, 4, 1, &data);
}

static void write_ack(struct relay_buffer *b)
{
    relay_wire_ack(b, &ack);
}

static void write_ping(struct relay_buffer *b)
{
    relay_wire_ping(b, 2);
}

static void write_pong(struct relay_buffer *b)
{
    relay_wire_pong(b, &ack);
}

static void write_close(struct relay_buffer *b)
{
    relay_wire_close(b, 3, "bye");
}

static void write_udp(struct relay_buffer *b)
{
    relay_wire_udp(b, 3, &offer);
}

static void write_part(struct relay_buffer *b)
{
    relay_wire_fragment(b, 4, 1, &part);
}

static void write_seen(struct relay_buffer *b)
{
    const struct relay_seen s = {.came = 1, .ack = ack};

    relay_wire_seen(b, &s);
}

static const struct {
    const char *name;
    void (*write)(struct relay_buffer *b);
    const char *bytes;
} frames[] = {
    {"HELLO", write_hello,
     "1a00000001000000"
     "41434852"
     "01"
     "00"
     "0807060504030201"
     "80000100"
     "0200"
     "7232"},
    {"OPEN", write_open,
     "8400000002010300"
     "01"
     "01"
     "07"
     "0300696d75"
     "6400000000000000"
     "0200000000000000"
     "0300000000000000"
     "8877665544332211"
     "1000000000000000"
     "0002000000000000"
     "01000000"
     "01"
     "01"
     "0100"
     "0500000000000000"
     "0600000000000000"
     "0700000000000000"
     "0a0064656d6f2f6d73672f58"
     "0300636472"
     "0700726f73326d7367"
     "0a000000"
     "666c6f6174363420780a"},
    {"OPENED", write_opened,
     "3c00000003020300"
     "8877665544332211"
     "1000000000000000"
     "0002000000000000"
     "01000000"
     "01"
     "00"
     "0100"
     "0500000000000000"
     "0600000000000000"
     "0700000000000000"},
    {"REFUSED", write_refused,
     "0a00000004000300"
     "1400"
     "02006e6f"},
    {"DATA", write_data,
     "4b00000005010400"
     "0900000000000000"
     "0200000000000000"
     "0a00000000000000"
     "0b00000000000000"
     "0c00000000000000"
     "0d00000000000000"
     "0e00000000000000"
     "0f00000000000000"
     "05000000"
     "68656c"},
    {"MORE", write_more,
     "0f00000006010400"
     "0f00000000000000"
     "68656c"},
    {"ACK", write_ack,
     "2400000007000000"
     "0100000000000000"
     "0200000000000000"
     "0300000000000000"
     "0400000000000000"},
    {"PING", write_ping,
     "0c00000008000000"
     "0200000000000000"},
    {"PONG", write_pong,
     "1c00000009000000"
     "0200000000000000"
     "0300000000000000"
     "0400000000000000"},
    {"CLOSE", write_close,
     "090000000a000300"
     "0300627965"},
    {"UDP", write_udp,
     "340000000b000300"
     "0807060504030201"
     "ef010203"
     "8d1f"
     "04"
     "01"
     "0506000000000000000000000000000000000000000000000000000000000000"},
    {"FRAGMENT", write_part,
     "610000000c010400"
     "1000000000000000"
     "1100000000000000"
     "00010000"
     "0001"
     "0900000000000000"
     "0200000000000000"
     "0a00000000000000"
     "0b00000000000000"
     "0c00000000000000"
     "0d00000000000000"
     "0e00000000000000"
     "0f00000000000000"
     "03010000"
     "68656c"},
    {"SEEN", write_seen,
     "2c0000000d000000"
     "0100000000000000"
     "0100000000000000"
     "0200000000000000"
     "0300000000000000"
     "0400000000000000"},
};

#define FRAMES (sizeof(frames) / sizeof(*frames))

static void check_bytes(const char *name, const struct relay_buffer *b, const char *want)
{
    char got[1024] = "";
    size_t i;

    for (i = 0; i < relay_buffer_left(b); i++)
        snprintf(got + 2 * i, 3, "%02x", b->bytes[b->begin + i]);
    if (!check_that(strcmp(got, want) == 0, __FILE__, __LINE__, name))
        fprintf(stderr, "  %s\n  is not\n  %s\n", got, want);
}

/* Decode a frame by its kind. */
static bool decode(const struct relay_frame *f)
{
    char text[RELAY_WIRE_TEXT];
    struct relay_hello h;
    struct relay_request q;
    struct relay_terms t;
    struct relay_data d;
    struct relay_ack a;
    struct relay_udp_offer o;
    struct relay_fragment p;
    struct relay_seen seen;
    enum ach_status s;
    uint64_t sent;

    switch (f->kind) {
    case RELAY_HELLO:
        return relay_wire_read_hello(f, &h);
    case RELAY_OPEN:
        return relay_wire_read_open(f, &q, &t);
    case RELAY_OPENED:
        return relay_wire_read_opened(f, &t);
    case RELAY_REFUSED:
        return relay_wire_read_refused(f, &s, text);
    case RELAY_DATA:
        return relay_wire_read_data(f, &d);
    case RELAY_MORE:
        return relay_wire_read_more(f, &d);
    case RELAY_ACK:
        return relay_wire_read_ack(f, &a);
    case RELAY_PING:
        return relay_wire_read_ping(f, &sent);
    case RELAY_PONG:
        return relay_wire_read_pong(f, &a);
    case RELAY_CLOSE:
        return relay_wire_read_close(f, text);
    case RELAY_UDP:
        return relay_wire_read_udp(f, &o);
    case RELAY_FRAGMENT:
        return relay_wire_read_fragment(f, &p);
    case RELAY_SEEN:
        return relay_wire_read_seen(f, &seen);
    default:
        return false;
    }
}

/* In memory of its exact size, so that sanitizers notice a read beyond it. */
static enum ach_status try_bytes(const unsigned char *bytes, size_t n, bool *decoded)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct relay_frame f;
    enum ach_status r;
    size_t need;

    REQUIRE(copy != NULL);
    memcpy(copy, bytes, n);
    r = relay_wire_frame(copy, n, true, &f, &need);
    *decoded = r == ACH_OK && decode(&f);
    free(copy);
    return r;
}

static void check_lengths(const struct relay_buffer *b)
{
    const unsigned char *bytes = b->bytes + b->begin;
    size_t n, whole = relay_buffer_left(b);
    bool decoded;

    for (n = 0; n < whole; n++)
        CHECK_STATUS(try_bytes(bytes, n, &decoded), ACH_EAGAIN);
    CHECK_OK(try_bytes(bytes, whole, &decoded));
    CHECK(decoded);
}

/* A body that is cut short is refused, except one that ends with bytes of a message. */
static void check_short_body(struct relay_buffer *b)
{
    unsigned char *bytes = b->bytes + b->begin;
    size_t n, whole = relay_buffer_left(b);
    unsigned kind = bytes[4];
    bool decoded;

    for (n = RELAY_WIRE_HEADER; n < whole; n++) {
        bytes[0] = (unsigned char)(n - 4);
        bytes[1] = 0;
        CHECK_OK(try_bytes(bytes, n, &decoded));
        CHECK(!decoded || kind == RELAY_DATA || kind == RELAY_MORE);
    }
}

static void change_some(struct relay_buffer *b, uint64_t *seed)
{
    unsigned char *bytes = b->bytes + b->begin;
    size_t i, whole = relay_buffer_left(b);
    bool decoded;

    for (i = 0; i < 3; i++)
        bytes[check_random(seed) % whole] = (unsigned char)check_random(seed);
    try_bytes(bytes, whole, &decoded);
}

static void check_fields(void)
{
    struct relay_buffer b = {0};
    struct relay_frame f;
    struct relay_request q;
    struct relay_terms t;
    struct relay_data d;
    size_t need;

    write_open(&b);
    REQUIRE_OK(relay_wire_frame(b.bytes, b.end, true, &f, &need));
    REQUIRE(relay_wire_read_open(&f, &q, &t));
    CHECK(q.push && q.all && q.priority == 7 && strcmp(q.name, "imu") == 0 && q.max_age == 100);
    CHECK(t.epoch == terms().epoch && t.typed && strcmp(t.schema_encoding, "ros2msg") == 0);
    CHECK(t.schema_size == sizeof(SCHEMA) - 1 && memcmp(t.schema, SCHEMA, t.schema_size) == 0);
    CHECK(t.n_marks == 1 && t.marks[0].carried == 7);
    relay_buffer_finish(&b);
    write_data(&b);
    REQUIRE_OK(relay_wire_frame(b.bytes, b.end, true, &f, &need));
    REQUIRE(relay_wire_read_data(&f, &d));
    CHECK(d.seq == 9 && d.gap == 2 && d.origin.stamp == 12 && d.sent == 15 && d.total == 5);
    CHECK(d.size == 3 && memcmp(d.bytes, "hel", 3) == 0);
    relay_buffer_finish(&b);
}

/* Lengths that are not allowed are refused before anything is stored. */
static void check_length_limits(void)
{
    static const unsigned char huge[8] = {0xff, 0xff, 0xff, 0x7f, RELAY_DATA},
                               tiny[8] = {3, 0, 0, 0, RELAY_PING},
                               early[8] = {0, 4, 0, 0, RELAY_HELLO};
    struct relay_frame f;
    size_t need;

    CHECK_STATUS(relay_wire_frame(huge, 8, true, &f, &need), ACH_CORRUPT);
    CHECK_STATUS(relay_wire_frame(tiny, 8, true, &f, &need), ACH_CORRUPT);
    CHECK_STATUS(relay_wire_frame(early, 8, false, &f, &need), ACH_CORRUPT);
    CHECK_STATUS(relay_wire_frame(early, 8, true, &f, &need), ACH_EAGAIN);
}

int main(void)
{
    uint64_t seed = 1, rounds;
    size_t i;

    for (i = 0; i < FRAMES; i++) {
        struct relay_buffer b = {0};

        frames[i].write(&b);
        check_bytes(frames[i].name, &b, frames[i].bytes);
        check_lengths(&b);
        check_short_body(&b);
        relay_buffer_finish(&b);
    }
    for (rounds = check_scale(ROUNDS); rounds--;) {
        struct relay_buffer b = {0};

        frames[rounds % FRAMES].write(&b);
        change_some(&b, &seed);
        relay_buffer_finish(&b);
    }
    check_fields();
    check_length_limits();
    return check_result();
}
