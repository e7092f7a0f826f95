/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * codec.c - generated headers beside other implementations of CDR
 *
 * Random messages must give the same bytes as Cyclone DDS, and as libachmsg, which works by
 * tables. Damaged bytes must be accepted or refused as libachmsg does it, without a memory error.
 */
#include "check.h"

#include <ach/definition.h>

#include "subject.h"

#ifdef CYCLONE
#include <dds/dds.h>
#include <dds/ddsi/ddsi_cdrstream.h>
#include <dds/ddsi/q_protocol.h>
#endif

#define MESSAGE_MAX (1u << 20)
#define MEMORY_MAX (8u << 20)

static uint64_t seed = 1;
static uint8_t *memory;
static size_t memory_used;

void *subject_memory(size_t n)
{
    void *p = memory + memory_used;

    memory_used += (n + 15) & ~(size_t)15;
    REQUIRE(memory_used <= MEMORY_MAX);
    return p;
}

uint64_t subject_random(void)
{
    return check_random(&seed);
}

void subject_bytes(void *to, size_t n)
{
    uint8_t *at = to;

    while (n--)
        *at++ = (uint8_t)subject_random();
}

uint32_t subject_count_to(uint32_t limit)
{
    uint32_t n = subject_random() % 4 ? (uint32_t)(subject_random() % 4) : 0;

    if (limit <= 20 && subject_random() % 8 == 0)
        return limit;
    return n < limit ? n : limit;
}

uint8_t subject_bool(void)
{
    return subject_random() % 2;
}

char *subject_text(ach_cdr_string_t *ours, uint32_t limit)
{
    uint32_t i, n = (uint32_t)(subject_random() % 12);
    char *text;

    n = n < limit ? n : limit;
    text = subject_memory(n + 1);
    for (i = 0; i < n; i++)
        text[i] = (char)(' ' + subject_random() % 90);
    text[n] = '\0';
    ours->text = text;
    ours->length = n;
    return text;
}

/* The bytes of Cyclone DDS, without the 4 in front. */
static bool same_as_other(const struct subject *s, const void *other, const uint8_t *bytes,
                          size_t n)
{
    bool same = true;
#ifdef CYCLONE
    dds_ostreamLE_t os;

    dds_ostreamLE_init(&os, 0, CDR_ENC_VERSION_1);
    dds_stream_writeLE(&os, other, s->topic->m_ops);
    same = os.x.m_index == n && memcmp(os.x.m_buffer, bytes, n) == 0;
    dds_ostreamLE_fini(&os);
#else
    (void)s;
    (void)other;
    (void)bytes;
    (void)n;
#endif
    return same;
}

/* A message, with the memory that it points into. */
struct decoded {
    void *message;
    uint8_t *bytes, *room;
};

static void decoded_free(struct decoded *d)
{
    free(d->message);
    free(d->bytes);
    free(d->room);
}

/* Decode in blocks of exactly the right size, so that a sanitizer detects an access beyond them. */
static enum ach_status decode_exactly(const struct subject *s, const uint8_t *bytes, size_t n,
                                      struct decoded *d)
{
    ach_cdr_memory_t room = {0};
    enum ach_status status;

    *d = (struct decoded){malloc(s->size), malloc(n ? n : 1), NULL};
    REQUIRE(d->message && d->bytes);
    memcpy(d->bytes, bytes, n);
    status = s->decode(d->message, d->bytes, n, &room);
    if (status == ACH_OVERFLOW) {
        size_t needed = room.needed;

        d->room = malloc(needed - 1);
        room = (ach_cdr_memory_t){d->room, needed - 1, 0};
        CHECK_STATUS(s->decode(d->message, d->bytes, n, &room), ACH_OVERFLOW);
        free(d->room);
        d->room = malloc(needed);
        REQUIRE(d->room && room.needed == needed);
        room = (ach_cdr_memory_t){d->room, needed, 0};
        status = s->decode(d->message, d->bytes, n, &room);
        CHECK_OK(status);
    }
    CHECK(status == ACH_OK || status == ACH_CORRUPT);
    return status;
}

/* A decoded message is encoded to bytes that libachmsg decodes and encodes to the same. */
static void same_as_tables(const struct subject *s, const ach_type_t *type, const void *message)
{
    static uint8_t bytes[MESSAGE_MAX], again[MESSAGE_MAX];
    size_t n = 0, n_again = 0;
    void *body = NULL;

    CHECK_OK(s->encode(message, bytes, sizeof(bytes), &n));
    CHECK_OK(ach_cdr_decode_new(type, bytes, n, &body));
    REQUIRE(body != NULL);
    CHECK_OK(ach_cdr_encode(type, body, again, sizeof(again), &n_again));
    CHECK(n == n_again && memcmp(bytes, again, n) == 0);
    free(body);
}

/* Both decoders accept the same bytes. */
static void try_bytes(const struct subject *s, const ach_type_t *type, const uint8_t *bytes,
                      size_t n)
{
    void *body = NULL;
    struct decoded d;
    enum ach_status ours = decode_exactly(s, bytes, n, &d), tables;

    tables = ach_cdr_decode_new(type, bytes, n, &body);
    if (ours != tables)
        fprintf(stderr, "%s: %zu bytes: the header says %d, the tables %d: %s\n", s->type()->name,
                n, (int)ours, (int)tables, ach_errstr());
    CHECK(ours == tables);
    if (ours == ACH_OK)
        same_as_tables(s, type, d.message);
    free(body);
    decoded_free(&d);
}

static void damage(const struct subject *s, const ach_type_t *type, const uint8_t *bytes, size_t n)
{
    static uint8_t bad[MESSAGE_MAX];
    size_t at = subject_random() % n, kept = subject_random() % (n + 1);

    memcpy(bad, bytes, n);
    try_bytes(s, type, bad, kept);
    bad[at] = (uint8_t)(subject_random() % 3 ? subject_random() : 255);
    try_bytes(s, type, bad, n);
    subject_bytes(bad, n);
    try_bytes(s, type, bad, n);
}

static void print_difference(const struct subject *s, const uint8_t *bytes, size_t n)
{
    size_t i;

    fprintf(stderr, "%s: Cyclone DDS gives other bytes than these %zu:", s->type()->name, n);
    for (i = 0; i < n && i < 100; i++)
        fprintf(stderr, " %02x", bytes[i]);
    fputc('\n', stderr);
}

static void one_message(const struct subject *s, const ach_type_t *type)
{
    static _Alignas(16) uint8_t bytes[MESSAGE_MAX];
    static uint8_t again[MESSAGE_MAX];
    void *ours = subject_memory(s->size), *other = subject_memory(s->other_size + 1);
    struct decoded d;
    size_t n = 0, n_again = 0;

    subject_bytes(ours, s->size); /* padding is not put */
    memset(other, 0, s->other_size);
    s->fill(ours, other);
    REQUIRE_OK(s->encode(ours, bytes, sizeof(bytes), &n));
    if (!same_as_other(s, other, bytes, n)) {
        print_difference(s, bytes, n);
        CHECK(false);
    }
    CHECK_STATUS(s->encode(ours, again, n - 1, &n_again), ACH_OVERFLOW);
    REQUIRE_OK(decode_exactly(s, bytes, n, &d));
    memset(again, 0xaa, n + 1);
    REQUIRE_OK(s->encode(d.message, again, sizeof(again), &n_again));
    CHECK(n == n_again && memcmp(bytes, again, n) == 0 && again[n] == 0xaa);
    if (s->fixed) { /* the bytes are the struct */
        CHECK(n == s->fixed);
        CHECK_OK(s->encode(bytes, again, sizeof(again), &n_again));
        CHECK(n == n_again && memcmp(bytes, again, n) == 0);
    }
    decoded_free(&d);
    same_as_tables(s, type, ours);
    damage(s, type, bytes, n);
}

static void one_subject(const struct subject *s, uint64_t rounds)
{
    const ach_channel_type_t *t = s->type();
    ach_definition_t *d = NULL;
    uint64_t i;

    REQUIRE_OK(ach_definition_new(t->name, t->schema, t->schema_size, &d));
    for (i = 0; i < rounds; i++) {
        memory_used = 0;
        one_message(s, ach_definition_type(d));
        if (check_result()) {
            fprintf(stderr, "%s failed\n", t->name);
            exit(1);
        }
    }
    ach_definition_free(d);
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    size_t i;

    memory = malloc(MEMORY_MAX);
    REQUIRE(memory != NULL);
    for (i = 0; i < subject_count; i++)
        one_subject(&subjects[i], rounds);
    free(memory);
    printf("%zu messages, %llu times each\n", subject_count, (unsigned long long)rounds);
    return check_result();
}
