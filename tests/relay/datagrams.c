/* SPDX-License-Identifier: BSD-3-Clause */
/* datagrams.c - sealing, the replay window, and messages in parts, against simple models */
#include "check.h"
#include "fragments.h"
#include "seal.h"

#define ROUNDS 200
#define COUNTERS 8192
#define MESSAGES 24
#define UNIT 300u
#define SIZE_MAX_TEST 2600u

static uint64_t seed = 7;

static uint64_t random_below(uint64_t n)
{
    return check_random(&seed) % n;
}

/* The model: all counters that were seen, and the highest. */
static void check_replay(void)
{
    static bool seen[COUNTERS];
    struct relay_replay r = {0};
    uint64_t i, next = 0, counter;

    memset(seen, 0, sizeof(seen));
    for (i = 0; i < (uint64_t)4 * COUNTERS; i++) {
        uint64_t ahead = random_below(50) ? 3 : 1500;
        bool fresh;

        counter = next + random_below(ahead);
        counter -= counter > 1200 ? random_below(1200) : random_below(counter + 1);
        if (counter >= COUNTERS)
            break;
        fresh = counter >= next || (next - counter <= RELAY_REPLAY_BITS && !seen[counter]);
        CHECK(relay_replay_fresh(&r, counter) == fresh);
        if (fresh) {
            relay_replay_add(&r, counter);
            seen[counter] = true;
            next = counter >= next ? counter + 1 : next;
        }
    }
    CHECK(i > 1000);
    CHECK(!relay_replay_fresh(&r, UINT64_MAX));
}

/* A stream of messages, cut into parts. */
struct stream {
    unsigned char bytes[MESSAGES][SIZE_MAX_TEST];
    uint32_t size[MESSAGES];
    struct {
        unsigned message;
        uint32_t offset;
    } parts[MESSAGES * 12];
    unsigned n;
};

static void stream_make(struct stream *s)
{
    unsigned i, j;

    s->n = 0;
    for (i = 0; i < MESSAGES; i++) {
        s->size[i] = (uint32_t)(1 + random_below(SIZE_MAX_TEST));
        for (j = 0; j < s->size[i]; j++)
            s->bytes[i][j] = (unsigned char)check_random(&seed);
        for (j = 0; j < s->size[i]; j += UNIT) {
            unsigned copies = random_below(10) == 0 ? 0 : random_below(8) == 0 ? 2 : 1;

            while (copies--) {
                s->parts[s->n].message = i;
                s->parts[s->n++].offset = j;
            }
        }
    }
}

/* Exchange neighbours, some of them far ones. */
static void stream_shuffle(struct stream *s, unsigned distance)
{
    unsigned i;

    for (i = 0; i + distance < s->n; i++) {
        unsigned j = i + (unsigned)random_below(distance + 1);
        unsigned message = s->parts[i].message;
        uint32_t offset = s->parts[i].offset;

        s->parts[i] = s->parts[j];
        s->parts[j].message = message;
        s->parts[j].offset = offset;
    }
}

static struct relay_fragment stream_part(const struct stream *s, unsigned i)
{
    unsigned m = s->parts[i].message;
    uint32_t offset = s->parts[i].offset, left = s->size[m] - offset;
    struct relay_fragment p = {.offset = offset, .unit = UNIT};

    p.data.seq = m + 1;
    p.data.total = s->size[m];
    p.data.bytes = s->bytes[m] + offset;
    p.data.size = left < UNIT ? left : UNIT;
    return p;
}

/* The model: the parts of the newest message that have come, in a set. */
struct model {
    unsigned newest;
    bool done, have[12];
};

static bool model_add(struct model *m, const struct stream *s, unsigned i)
{
    unsigned seq = s->parts[i].message + 1, n = (s->size[seq - 1] - 1) / UNIT + 1, j;

    if (seq < m->newest || (seq == m->newest && m->done))
        return false;
    if (seq > m->newest)
        *m = (struct model){.newest = seq};
    m->have[s->parts[i].offset / UNIT] = true;
    for (j = 0; j < n && m->have[j];)
        j++;
    m->done = j == n;
    return m->done;
}

static unsigned check_stream(struct stream *s)
{
    struct relay_fragments p = {0};
    struct model m = {0};
    unsigned i, whole = 0;

    for (i = 0; i < s->n; i++) {
        struct relay_fragment part = stream_part(s, i);
        const unsigned char *bytes = NULL;
        enum relay_fragments_result r = relay_fragments_add(&p, &part, true, &bytes);
        bool expected = model_add(&m, s, i);

        CHECK(r != RELAY_FRAGMENTS_FAILED);
        CHECK((r == RELAY_FRAGMENTS_WHOLE) == expected);
        CHECK(p.room <= SIZE_MAX_TEST);
        if (r == RELAY_FRAGMENTS_WHOLE) {
            CHECK(memcmp(bytes, s->bytes[part.data.seq - 1], part.data.total) == 0);
            whole++;
        }
    }
    relay_fragments_reset(&p);
    return whole;
}

static void check_parts(void)
{
    static struct stream s;
    uint64_t rounds, whole = 0;

    for (rounds = check_scale(ROUNDS); rounds--;) {
        stream_make(&s);
        stream_shuffle(&s, (unsigned)(rounds % 8));
        whole += check_stream(&s);
    }
    CHECK(whole > 0);
}

/* Parts that contradict each other, and messages that are not stored. */
static void check_wrong_parts(void)
{
    unsigned char bytes[UNIT] = {0};
    const unsigned char *out;
    struct relay_fragments p = {0};
    struct relay_fragment a = {.unit = UNIT,
                               .data = {.seq = 1, .total = 900, .bytes = bytes, .size = UNIT}};

    CHECK(relay_fragments_add(&p, &a, true, &out) == RELAY_FRAGMENTS_MORE);
    a.data.total = 100000;
    a.offset = 90000;
    CHECK(relay_fragments_add(&p, &a, true, &out) == RELAY_FRAGMENTS_FAILED);
    CHECK(relay_fragments_add(&p, &a, true, &out) == RELAY_FRAGMENTS_LATE);
    a.data.seq = 2;
    CHECK(relay_fragments_add(&p, &a, false, &out) == RELAY_FRAGMENTS_WHOLE);
    CHECK(relay_fragments_add(&p, &a, false, &out) == RELAY_FRAGMENTS_LATE);
    CHECK(p.room == 900);
    relay_fragments_reset(&p);
}

static struct relay_udp_offer offer_of(const struct relay_sealer *s)
{
    return (struct relay_udp_offer){.stream = s->stream, .key = *relay_sealer_newest(s)};
}

static void make(struct relay_sealer *s, struct relay_buffer *b, uint64_t now)
{
    relay_sealer_begin(b);
    relay_wire_ping(b, 5);
    REQUIRE(relay_sealer_seal(s, b, now));
}

/* A copy of its exact size, so that sanitizers notice a read beyond it. */
static bool open_copy(struct relay_opener *o, const struct relay_buffer *b, size_t n, size_t change,
                      uint64_t now)
{
    unsigned char *copy = malloc(n ? n : 1);
    struct relay_frame f;
    uint64_t sent = 0;
    bool ok;

    REQUIRE(copy != NULL);
    memcpy(copy, b->bytes, n);
    if (change < 8 * n)
        copy[change / 8] ^= (unsigned char)(1u << change % 8);
    ok = relay_opener_open(o, copy, n, &f, now);
    if (ok)
        CHECK(relay_wire_read_ping(&f, &sent) && sent == 5);
    free(copy);
    return ok;
}

#define UNCHANGED SIZE_MAX

static void check_seal(const struct tls_library *tls)
{
    struct relay_buffer b = {0};
    struct relay_sealer s, other;
    struct relay_opener o = {0};
    struct relay_udp_offer offer;
    size_t i, n;

    REQUIRE(relay_sealer_init(&s, tls, 1) && relay_sealer_init(&other, tls, 1));
    offer = offer_of(&s);
    REQUIRE(relay_opener_key(&o, tls, &offer, 1));
    make(&s, &b, 1);
    n = relay_buffer_left(&b);
    CHECK(n == relay_sealer_overhead(&s) + RELAY_WIRE_HEADER + 8);
    CHECK(!tls || memcmp(b.bytes + RELAY_DATAGRAM_HEADER, "\x0c\0\0\0\x08\0\0\0\x05", 9) != 0);
    for (i = 0; i < n; i++)
        CHECK(!open_copy(&o, &b, i, UNCHANGED, 1));
    for (i = 0; tls && i < 8 * n; i++)
        CHECK(!open_copy(&o, &b, n, i, 1));
    CHECK(open_copy(&o, &b, n, UNCHANGED, 1));
    CHECK(!open_copy(&o, &b, n, UNCHANGED, 1));
    other.counter = 5;
    make(&other, &b, 1);
    CHECK(!open_copy(&o, &b, n, UNCHANGED, 1));
    other.stream = s.stream;
    make(&other, &b, 1);
    CHECK(open_copy(&o, &b, n, UNCHANGED, 1) == !tls);
    relay_opener_finish(&o);
    relay_sealer_finish(&other);
    relay_sealer_finish(&s);
    relay_buffer_finish(&b);
}

/* A sealed stream takes nothing that is not sealed. */
static void check_downgrade(const struct tls_library *tls)
{
    struct relay_buffer b = {0};
    struct relay_sealer s, plain;
    struct relay_opener o = {0};
    struct relay_udp_offer offer;

    REQUIRE(relay_sealer_init(&s, tls, 1) && relay_sealer_init(&plain, NULL, 1));
    offer = offer_of(&s);
    REQUIRE(relay_opener_key(&o, tls, &offer, 1));
    plain.stream = s.stream;
    make(&plain, &b, 1);
    CHECK(!open_copy(&o, &b, relay_buffer_left(&b), UNCHANGED, 1));
    offer.key.sealed = false;
    CHECK(!relay_opener_key(&o, NULL, &offer, 1));
    offer.key.id++;
    CHECK(!relay_opener_key(&o, NULL, &offer, 1));
    relay_opener_finish(&o);
    relay_sealer_finish(&plain);
    relay_sealer_finish(&s);
    relay_buffer_finish(&b);
}

/* The new key is told at once, used after half a second; the old one ends after a second. */
static void check_rotation(const struct tls_library *tls)
{
    const uint64_t half = RELAY_SEAL_SWITCH_NS, life = (uint64_t)100 * RELAY_SEAL_GRACE_NS;
    struct relay_buffer old = {0}, late = {0}, new = {0};
    struct relay_udp_offer offer;
    struct relay_opener o = {0}, left = {0};
    struct relay_sealer s;
    uint8_t first;

    REQUIRE(relay_sealer_init(&s, tls, 0));
    offer = offer_of(&s);
    first = offer.key.id;
    REQUIRE(relay_opener_key(&o, tls, &offer, 0) && relay_opener_key(&left, tls, &offer, 0));
    CHECK(!relay_sealer_due(&s, life, life - 1) && relay_sealer_due(&s, life, life));
    make(&s, &old, 0);
    REQUIRE(relay_sealer_rotate(&s, 1));
    CHECK(!relay_sealer_due(&s, life, life)); /* one is under way */
    offer = offer_of(&s);
    REQUIRE(relay_opener_key(&o, tls, &offer, 1));
    REQUIRE(relay_sealer_rotate(&s, half / 2)); /* a second member has left meanwhile */
    CHECK(offer.key.id == offer_of(&s).key.id && offer.key.id != first);
    CHECK(!tls || memcmp(offer.key.bytes, offer_of(&s).key.bytes, RELAY_KEY_SIZE) != 0);
    offer = offer_of(&s);
    REQUIRE(relay_opener_key(&o, tls, &offer, half / 2));
    make(&s, &late, half);
    CHECK(late.bytes[5] == first);
    make(&s, &new, half + 1);
    CHECK(new.bytes[5] == offer.key.id);
    CHECK(open_copy(&o, &old, relay_buffer_left(&old), UNCHANGED, half));
    CHECK(open_copy(&o, &new, relay_buffer_left(&new), UNCHANGED, 2 * half));
    CHECK(!open_copy(&o, &late, relay_buffer_left(&late), UNCHANGED, 2 * half + 1));
    CHECK(!open_copy(&left, &new, relay_buffer_left(&new), UNCHANGED, half + 1));
    relay_opener_finish(&o);
    relay_opener_finish(&left);
    relay_sealer_finish(&s);
    relay_buffer_finish(&old);
    relay_buffer_finish(&late);
    relay_buffer_finish(&new);
}

/* A key ends before its counters do. */
static void check_counter(const struct tls_library *tls)
{
    struct relay_buffer b = {0};
    struct relay_sealer s;

    REQUIRE(relay_sealer_init(&s, tls, 0));
    s.counter = RELAY_SEAL_COUNTER_MAX / 2;
    CHECK(relay_sealer_due(&s, UINT64_MAX, 1));
    s.counter = RELAY_SEAL_COUNTER_MAX;
    relay_sealer_begin(&b);
    relay_wire_ping(&b, 5);
    CHECK(!relay_sealer_seal(&s, &b, 1));
    REQUIRE(relay_sealer_rotate(&s, 1));
    CHECK(relay_sealer_seal(&s, &b, 1 + RELAY_SEAL_SWITCH_NS));
    CHECK(s.counter == 1);
    relay_sealer_finish(&s);
    relay_buffer_finish(&b);
}

int main(void)
{
    const struct tls_library *tls = tls_load();

    check_replay();
    check_parts();
    check_wrong_parts();
    check_seal(NULL);
    check_rotation(NULL);
    check_counter(NULL);
    if (tls) {
        check_seal(tls);
        check_downgrade(tls);
        check_rotation(tls);
        check_counter(tls);
    } else {
        fprintf(stderr, "without sealing: %s\n", ach_errstr());
    }
    return check_result();
}
