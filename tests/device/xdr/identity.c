/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * identity.c - decoding yields what was encoded, for every message
 *
 * identity [SEED]
 */
#include "random_body.h"

#include "check.h"

static uint64_t seed;
static struct random_body random_state;
static unsigned bodies, at_limit;

static void *encoded(const ach_type_t *type, const void *body, size_t *size)
{
    size_t room = 0;
    void *bytes;

    REQUIRE_OK(ach_encoded_size(type, body, &room));
    bytes = malloc(room);
    REQUIRE(bytes);
    REQUIRE_OK(ach_encode(type, body, bytes, room, size));
    CHECK(*size == room);
    return bytes;
}

/* Allocate exactly the memory that it needs, so that a sanitizer detects one byte more. */
static void *decoded(const ach_type_t *type, const void *bytes, size_t n)
{
    size_t size = 0;
    void *body;

    REQUIRE_OK(ach_decoded_size(type, bytes, n, &size));
    body = malloc(size);
    REQUIRE(body);
    CHECK_STATUS(ach_decode(type, bytes, n, body, size - 1), ACH_OVERFLOW);
    REQUIRE_OK(ach_decode(type, bytes, n, body, size));
    return body;
}

static void there_and_back(const ach_type_t *type, const void *body)
{
    size_t n = 0, again_n = 0;
    uint8_t *bytes = encoded(type, body, &n), *again;
    void *back = decoded(type, bytes, n), *copy = NULL;

    CHECK(n % 4 == 0 && n >= type->wire_size && (!type->fixed || n == type->wire_size));
    CHECK_STATUS(ach_encode(type, body, bytes, n - 1, &again_n), ACH_OVERFLOW);
    CHECK_OK(ach_encode(type, body, bytes, n, &n));
    CHECK(ach_body_equal(type, body, back));
    again = encoded(type, back, &again_n);
    CHECK(n == again_n && memcmp(bytes, again, n) == 0);
    REQUIRE_OK(ach_body_copy(type, body, &copy));
    CHECK(ach_body_equal(type, copy, back));
    free(bytes);
    free(again);
    free(back);
    free(copy);
    bodies++;
}

static void through_json(const ach_type_t *type, const void *body)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    void *back = NULL;

    REQUIRE(f);
    ach_body_json(type, body, f);
    REQUIRE(fclose(f) == 0);
    if (CHECK(ach_body_from_json(type, text, &back) == ACH_OK)) {
        CHECK(ach_body_equal(type, body, back));
        free(back);
    } else {
        fprintf(stderr, "%s: %s\n", ach_errstr(), text);
    }
    free(text);
}

/* The same struct, but one element more is allowed in one of its arrays. */
static ach_type_t *looser(const ach_type_t *type, const ach_field_t *f)
{
    size_t steps = type->step_count * sizeof(ach_step_t);
    ach_type_t *copy = malloc(sizeof(*copy) + steps);
    ach_step_t *step;
    uint32_t i;

    REQUIRE(copy);
    *copy = *type;
    step = memcpy(copy + 1, type->steps, steps);
    copy->steps = step;
    for (i = 0; i < type->step_count; i++)
        step[i].limit += step[i].array == ACH_ARRAY_VARIABLE && step[i].offset == f->offset;
    return copy;
}

/* Bytes with one element too many, otherwise valid, are refused. */
static void over_limit(const ach_type_t *type, const ach_field_t *f, const void *body)
{
    ach_type_t *loose = looser(type, f);
    size_t n = 0, size;
    void *bytes = encoded(loose, body, &n), *back = NULL;

    CHECK_STATUS(ach_decoded_size(type, bytes, n, &size), ACH_CORRUPT);
    CHECK(strstr(ach_errstr(), f->name) && strstr(ach_errstr(), "over the limit"));
    REQUIRE_OK(ach_decoded_size(loose, bytes, n, &size));
    back = malloc(size);
    REQUIRE(back);
    CHECK_STATUS(ach_decode(type, bytes, n, back, size), ACH_CORRUPT);
    free(back);
    free(bytes);
    free(loose);
}

/* An array at its limit is accepted, and one element more is refused. */
static void array_at_limit(const ach_type_t *type, const ach_field_t *f)
{
    size_t size;
    void *body;

    random_state.at = f;
    random_state.count = f->limit;
    body = random_body_make(&random_state, type);
    there_and_back(type, body);
    random_body_free(&random_state);
    random_state.count = f->limit + 1;
    body = random_body_make(&random_state, type);
    CHECK_STATUS(ach_encoded_size(type, body, &size), ACH_EINVAL);
    CHECK(strstr(ach_errstr(), f->name));
    over_limit(type, f, body);
    random_body_free(&random_state);
    random_state.at = NULL;
    at_limit++;
}

static void message(const ach_interface_t *interface, const ach_message_def_t *m)
{
    uint64_t i, n = check_scale(40);
    int failures = check_failures;
    uint32_t k;

    for (i = 0; i < n; i++) {
        random_state.readable = i % 2;
        there_and_back(m->body, random_body_make(&random_state, m->body));
        random_body_free(&random_state);
        random_state.readable = true;
        through_json(m->body, random_body_make(&random_state, m->body));
        random_body_free(&random_state);
    }
    random_state.readable = false;
    for (k = 0; k < m->body->field_count; k++)
        if (m->body->fields[k].array == ACH_ARRAY_VARIABLE)
            array_at_limit(m->body, &m->body->fields[k]);
    if (check_failures != failures)
        fprintf(stderr, "above: %s %s, seed %llu\n", interface->name, m->name,
                (unsigned long long)seed);
}

int main(int argc, char **argv)
{
    unsigned messages;

    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    random_state.seed = seed;
    messages = random_body_each(message);
    CHECK(messages == 249 + 10);
    printf("%u messages, %u bodies, %u arrays at their limits\n", messages, bodies, at_limit);
    return check_result();
}
