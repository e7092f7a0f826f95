/* SPDX-License-Identifier: BSD-3-Clause */
/* cdr.c - messages in CDR: known bytes, random messages, hostile bytes */
#include "msg.h"

#include "random_body.h"

static void *decode(const ach_type_t *type, const void *bytes, size_t n)
{
    void *body = NULL;
    enum ach_status status = ach_cdr_decode_new(type, bytes, n, &body);

    if (status != ACH_OK)
        fprintf(stderr, "%s\n", ach_errstr());
    CHECK_OK(status);
    return body;
}

static void expect_json(const ach_type_t *type, const void *body, const char *want)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    REQUIRE(f != NULL);
    ach_body_json(type, body, f);
    fclose(f);
    if (strcmp(text, want) != 0) {
        fprintf(stderr, "got    %s\nwanted %s\n", text, want);
        CHECK(false);
    }
    free(text);
}

/* Alignment counts from the first byte; a string's count includes its NUL. */
static void known_bytes(void)
{
    static const unsigned char good[64] = {
        1,    0,    0, 0, 3, 0, 0, 0, 'a', 'b', 0, 0, /* bool, string */
        0,    0,    0, 0, 0, 0, 0, 0, 0,   0,         /* padding, float64 1.0 */
        0xf0, 0x3f, 2, 0, 0, 0, 5, 0, 6,   0,         /* int16[] */
        1,    0,    0, 0, 2, 0, 0, 0, 'c', 0,   7};   /* string[], int8 */
    static const char json[] = "{\"yes\": true, \"text\": \"ab\", \"x\": 1, \"list\": [5, 6], "
                               "\"names\": [\"c\"], \"last\": 7}";
    ach_definition_t *d = define(
        "demo/K", "bool yes\nstring text\nfloat64 x\nint16[] list\nstring[] names\nint8 last");
    const ach_type_t *type = ach_definition_type(d);
    unsigned char again[64];
    void *body, *read = NULL;
    size_t size;

    body = decode(type, good, 43);
    REQUIRE(body != NULL);
    expect_json(type, body, json);
    CHECK_OK(ach_cdr_encoded_size(type, body, &size));
    CHECK(size == 43);
    memset(again, 0xaa, sizeof(again));
    CHECK_OK(ach_cdr_encode(type, body, again, sizeof(again), &size));
    CHECK(size == 43 && memcmp(again, good, 43) == 0 && again[43] == 0xaa);
    CHECK_STATUS(ach_cdr_encode(type, body, again, 42, &size), ACH_OVERFLOW);
    CHECK_OK(ach_body_from_json(type, json, &read));
    CHECK(ach_body_equal(type, body, read));
    free(read);
    free(body);
    body = decode(type, good, 50); /* padded */
    free(body);
    CHECK_OK(ach_cdr_check(type, good, 50, &size));
    CHECK(size == 43);
    CHECK_STATUS(ach_cdr_decode_new(type, good, 51, &body), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "8 bytes too many"));
    ach_definition_free(d);
}

static void words(void)
{
    static const char *const given[] = {
        "yes=true",    "inner.s=hello world",    "names[1]=b", "text=t", "three=1,0,1",
        "stamp.sec=5", "inners[0].deep[0].b=2.5"};
    ach_definition_t *d = define("demo/msg/Everything", everything);
    const ach_type_t *type = ach_definition_type(d);
    void *body = NULL, *again = NULL;
    unsigned char bytes[512];
    const char *bad = "yes=2";
    size_t size;

    CHECK_OK(ach_body_from_words(type, given, sizeof(given) / sizeof(given[0]), &body));
    CHECK_OK(ach_cdr_encode(type, body, bytes, sizeof(bytes), &size));
    again = decode(type, bytes, size);
    REQUIRE(body && again);
    /* Words leave empty strings without a NUL, and decoding gives them one. */
    CHECK(((const uint8_t *)again)[0] == 1);
    free(body);
    free(again);
    CHECK_STATUS(ach_body_from_words(type, &bad, 1, &body), ACH_EINVAL);
    ach_definition_free(d);
}

/* Strings of random bodies need their NUL. */
static void end_strings(const ach_type_t *type, uint8_t *body)
{
    uint32_t i, k, n;
    uint8_t *at;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];

        n = f->limit;
        at = body + f->offset;
        if (f->array == ACH_ARRAY_VARIABLE) {
            memcpy(&n, body + f->count_offset, sizeof(n));
            memcpy(&at, body + f->offset, sizeof(at));
        }
        if (f->kind == ACH_KIND_CHAR && n)
            at[n - 1] = '\0';
        for (k = 0; f->type && k < n; k++)
            end_strings(f->type, at + (size_t)f->type->body_size * k);
    }
}

/* Decode bytes of exactly this size, so that a sanitizer detects a read beyond them. */
static enum ach_status decode_exactly(const ach_type_t *type, const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    size_t used = 0;
    void *body = NULL;
    enum ach_status status;

    REQUIRE(copy != NULL);
    memcpy(copy, bytes, n);
    status = ach_cdr_decode_new(type, copy, n, &body);
    CHECK(status == ACH_OK || status == ACH_CORRUPT);
    CHECK_STATUS(ach_cdr_check(type, copy, n, &used), status);
    CHECK(used <= n);
    free(body);
    free(copy);
    return status;
}

static void mutilate(const ach_type_t *type, uint8_t *bytes, size_t n, uint64_t *seed)
{
    size_t i, step = n / 50 + 1;

    for (i = 0; i + 8 < n; i += step)
        CHECK_STATUS(decode_exactly(type, bytes, i), ACH_CORRUPT);
    for (i = 0; i < 50; i++) {
        size_t at = check_random(seed) % n;
        uint8_t was = bytes[at];

        bytes[at] = (uint8_t)check_random(seed);
        decode_exactly(type, bytes, n);
        bytes[at] = was;
    }
}

/* Encode, decode, encode: the same bytes and the same values. */
static void random_messages(void)
{
    ach_definition_t *d = define("demo/msg/Everything", everything);
    const ach_type_t *type = ach_definition_type(d);
    struct random_body r = {.seed = 1};
    uint64_t i, rounds = check_scale(1000);
    static uint8_t bytes[1 << 20], again[1 << 20];
    size_t size, size_again;

    for (i = 0; i < rounds; i++) {
        uint8_t *body = random_body_make(&r, type);
        void *copy;

        end_strings(type, body);
        REQUIRE_OK(ach_cdr_encode(type, body, bytes, sizeof(bytes), &size));
        copy = decode(type, bytes, size);
        REQUIRE(copy != NULL);
        REQUIRE_OK(ach_cdr_encode(type, copy, again, sizeof(again), &size_again));
        CHECK(size == size_again && memcmp(bytes, again, size) == 0);
        mutilate(type, bytes, size, &r.seed);
        free(copy);
        random_body_free(&r);
    }
    free(r.pieces);
    ach_definition_free(d);
}

static void bad_bodies(void)
{
    struct {
        uint32_t text_count;
        char *text;
        uint32_t list_count;
        int16_t *list;
        uint8_t yes;
    } body = {0};
    ach_definition_t *d = define("demo/B", "string text\nint16[<=2] list\nbool yes");
    const ach_type_t *type = ach_definition_type(d);
    size_t size;

    REQUIRE(sizeof(body) == type->body_size);
    CHECK_OK(ach_cdr_encoded_size(type, &body, &size));
    CHECK(size == 13);
    body.yes = 2;
    CHECK_STATUS(ach_cdr_encoded_size(type, &body, &size), ACH_EINVAL);
    body.yes = 1;
    body.list_count = 1;
    CHECK_STATUS(ach_cdr_encoded_size(type, &body, &size), ACH_EINVAL);
    body.list = (int16_t[]){1, 2, 3};
    body.list_count = 3;
    CHECK_STATUS(ach_cdr_encoded_size(type, &body, &size), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "B.list: its count is over the limit"));
    body.list_count = 2;
    body.text = (char[]){'a', 'b'};
    body.text_count = 2;
    CHECK_STATUS(ach_cdr_encoded_size(type, &body, &size), ACH_EINVAL);
    body.text = (char[]){'a', '\0'};
    CHECK_OK(ach_cdr_encoded_size(type, &body, &size));
    ach_definition_free(d);
}

static void bad_bytes(void)
{
    static const uint8_t not_ended[] = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 0, 0, 1};
    static const uint8_t not_boolean[] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2};
    static const uint8_t no_nul[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    static const uint8_t too_many[] = {1, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1};
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
    ach_definition_t *d = define("demo/B", "string text\nint16[<=2] list\nbool yes");
    const ach_type_t *type = ach_definition_type(d);

    CHECK_STATUS(decode_exactly(type, not_ended, sizeof(not_ended)), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "does not end in NUL"));
    CHECK_STATUS(decode_exactly(type, not_boolean, sizeof(not_boolean)), ACH_CORRUPT);
    CHECK_OK(decode_exactly(type, no_nul, sizeof(no_nul)));
    CHECK_STATUS(decode_exactly(type, too_many, sizeof(too_many)), ACH_CORRUPT);
    CHECK_STATUS(decode_exactly(type, huge, sizeof(huge)), ACH_CORRUPT);
    CHECK_STATUS(decode_exactly(type, huge, 0), ACH_CORRUPT);
    ach_definition_free(d);
}

/* Each array of strings has its own limit of their length. */
static void bounded_strings(void)
{
    static const char *const fits[] = {"short[0]=abc", "two=[\"abcd\"]"};
    static const uint8_t long_bytes[] = {1, 0, 0, 0, 5, 0, 0, 0, 'a', 'b', 'c', 'd', 0, 0,
                                         0, 0, 1, 0, 0, 0, 0, 0, 0,   0,   0,   0,   0, 0};
    static const char *const no_index[] = {"any=abc"};
    static const char *const long_two[] = {"two[0]=abcde"}, *const long_short[] = {"short[0]=abcd"};
    ach_definition_t *d = define("demo/S", "string<=3[] short\nstring<=4[1] two\nstring[] any");
    const ach_type_t *type = ach_definition_type(d);
    void *body = NULL;

    CHECK_OK(ach_body_from_words(type, fits, 2, &body));
    free(body);
    CHECK_STATUS(ach_body_from_words(type, no_index, 1, &body), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), "any is an array of strings: write any[0]=abc"));
    CHECK_STATUS(ach_body_from_words(type, long_two, 1, &body), ACH_EINVAL);
    CHECK_STATUS(ach_body_from_words(type, long_short, 1, &body), ACH_EINVAL);
    CHECK_STATUS(decode_exactly(type, long_bytes, sizeof(long_bytes)), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), "its count is over the limit"));
    ach_definition_free(d);
}

/* The field at or behind a place that is not the count of an array; NULL: there is none. */
static const ach_field_t *next_field(const ach_type_t *type, uint32_t *at)
{
    while (*at < type->field_count && type->fields[*at].array == ACH_ARRAY_COUNT)
        ++*at;
    return *at < type->field_count ? &type->fields[(*at)++] : NULL;
}

static void expect_same_fields(const ach_type_t *a, const ach_type_t *b)
{
    uint32_t at_a = 0, at_b = 0;
    const ach_field_t *f;

    REQUIRE(a->field_count == b->field_count);
    while ((f = next_field(a, &at_a))) {
        const ach_field_t *same = next_field(b, &at_b);

        REQUIRE(same && strcmp(f->name, same->name) == 0);
        CHECK(f->array == same->array && f->limit == same->limit);
        if (f->type)
            expect_same_fields(f->type, same->type);
    }
}

/* The definition that is written for a table has the same fields, and encodes to the same bytes. */
static void written(const ach_type_t *type, struct random_body *r)
{
    static uint8_t bytes[1 << 20], again[1 << 20];
    uint8_t *body = random_body_make(r, type);
    size_t size, size_again;
    ach_definition_t *d;
    char *name, *text;
    void *copy;

    REQUIRE_OK(ach_definition_write(type, &name, &text));
    CHECK(strncmp(name, "ach/msg/", 8) == 0);
    d = define(name, text);
    expect_same_fields(type, ach_definition_type(d));
    end_strings(type, body);
    REQUIRE_OK(ach_cdr_encode(type, body, bytes, sizeof(bytes), &size));
    copy = decode(ach_definition_type(d), bytes, size);
    REQUIRE(copy != NULL);
    REQUIRE_OK(ach_cdr_encode(ach_definition_type(d), copy, again, sizeof(again), &size_again));
    CHECK(size == size_again && memcmp(bytes, again, size) == 0);
    free(copy);
    free(name);
    free(text);
    random_body_free(r);
    ach_definition_free(d);
}

static void write_interfaces(void)
{
    ach_definition_t *d = define("demo/msg/Everything", everything);
    struct random_body r = {.seed = 2};
    const ach_interface_t *interface;
    size_t i, n = 0;

    for (i = 0; (interface = ach_interface_at(i)); i++)
        for (uint32_t k = 0; k < interface->type_count; k++, n++)
            written(interface->types[k], &r);
    CHECK(i >= 43 && n > 150);
    written(ach_definition_type(d), &r);
    free(r.pieces);
    ach_definition_free(d);
}

/* ach_definition_write checks tables that nobody has registered. */
static void write_empty_struct(void)
{
    static const ach_type_t inner = {.name = "inner", .text = ""};
    static const ach_field_t field = {
        .name = "x", .text = "", .type = &inner, .kind = ACH_KIND_STRUCT, .limit = 1};
    static const ach_type_t outer = {
        .name = "outer", .text = "", .fields = &field, .field_count = 1};
    char *name, *text;

    CHECK_STATUS(ach_definition_write(&outer, &name, &text), ACH_EINVAL);
    CHECK(strcmp(ach_errstr(), "inner has no fields") == 0);
}

void test_cdr(void)
{
    known_bytes();
    words();
    random_messages();
    bad_bodies();
    bad_bytes();
    bounded_strings();
    write_interfaces();
    write_empty_struct();
}
