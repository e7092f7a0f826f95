/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile.c - malicious or malformed bytes and texts
 *
 * Valid bodies of every message are cut, lengthened, given other counts and
 * flipped bits. The properties that the fuzzers check must hold for all of them:
 * property_body allocates bytes and memory of exactly the stated size.
 *
 *     hostile [SEED]
 */
#include "../../../fuzz/property.h"

#include "check.h"
#include "random_body.h"

#include <ach/interface.h>

#define LARGEST 20000u

static uint64_t seed;
static struct random_body random_state;
static unsigned long tried;

static uint32_t load(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void store(uint8_t *at, uint32_t v)
{
    at[0] = (uint8_t)(v >> 24);
    at[1] = (uint8_t)(v >> 16);
    at[2] = (uint8_t)(v >> 8);
    at[3] = (uint8_t)v;
}

/* Decode exactly these bytes, so that a sanitizer detects a read beyond them. */
static enum ach_status decode(const ach_type_t *type, const uint8_t *bytes, size_t n)
{
    tried++;
    return property_bytes(type, bytes, n);
}

static void cut(const ach_type_t *type, const uint8_t *bytes, size_t n)
{
    size_t step = n / 300 + 1, i;

    CHECK_STATUS(decode(type, bytes, 0), ACH_ENOENT);
    for (i = 1; i < n; i += step)
        CHECK_STATUS(decode(type, bytes, i), ACH_CORRUPT);
    CHECK_STATUS(decode(type, bytes, n - 1), ACH_CORRUPT);
}

static void lengthen(const ach_type_t *type, uint8_t *bytes, size_t n)
{
    size_t more;

    memset(bytes + n, 0, 8);
    for (more = 1; more <= 8; more++)
        CHECK_STATUS(decode(type, bytes, n + more), ACH_CORRUPT);
}

/* Change every word as if it were a count; also two equal words in a row, as a count may be. */
static void counts(const ach_type_t *type, uint8_t *bytes, size_t n)
{
    static const uint32_t bad[] = {0xffffffff, 0x80000000, 0x7fffffff, 0x40000000, 8388609,
                                   100001,     65537,      4097,       33,         1};
    size_t i, k, step = (n / 4 / 100 + 1) * 4;

    for (i = 0; i + 4 <= n; i += step) {
        uint32_t was = load(bytes + i);
        bool twin = i + 8 <= n && load(bytes + i + 4) == was;

        for (k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
            store(bytes + i, bad[k]);
            decode(type, bytes, n);
            if (twin) {
                store(bytes + i + 4, bad[k]);
                decode(type, bytes, n);
                store(bytes + i + 4, was);
            }
        }
        store(bytes + i, was);
    }
}

static void flip(const ach_type_t *type, uint8_t *bytes, size_t n)
{
    uint64_t i, bit, rounds = check_scale(100);

    for (i = 0; i < rounds; i++) {
        bit = check_random(&seed) % (n * 8);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        decode(type, bytes, n);
        if (i % 8 != 0)
            bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void message(const ach_interface_t *interface, const ach_message_def_t *m)
{
    static uint8_t bytes[LARGEST + 8];
    int failures = check_failures;
    size_t n = 0;
    int i;

    for (i = 0; i < 3; i++) {
        void *body = random_body_make(&random_state, m->body);
        enum ach_status status = ach_encode(m->body, body, bytes, LARGEST, &n);

        random_body_free(&random_state);
        if (status == ACH_OVERFLOW)
            continue;
        REQUIRE_OK(status);
        CHECK_OK(decode(m->body, bytes, n));
        cut(m->body, bytes, n);
        lengthen(m->body, bytes, n);
        counts(m->body, bytes, n);
        flip(m->body, bytes, n);
    }
    if (check_failures != failures)
        fprintf(stderr, "above: %s %s\n", interface->name, m->name);
}

static void random_properties(void)
{
    uint8_t bytes[300];
    uint64_t i, k, n, rounds = check_scale(20000);

    for (i = 0; i < rounds; i++) {
        n = check_random(&seed) % sizeof(bytes);
        for (k = 0; k < n; k++)
            bytes[k] =
                (uint8_t)(check_random(&seed) % 3 ? check_random(&seed) % 4 : check_random(&seed));
        property_body(bytes, n);
        for (k = 2; k < n; k++)
            bytes[k] = (uint8_t) "{}[]\",:.\\u0019e+-=abcpxyz_ntrueflsi"[bytes[k] % 35];
        property_text(bytes, n);
    }
}

/* Bodies in which the two counts of an array differ are refused. */
static void twins(void)
{
    const ach_type_t *type = ach_interface_message(ach_interface_find("laser"), 1, 1)->body;
    uint8_t bytes[44] = {0};
    size_t i;

    CHECK_OK(decode(type, bytes, 36));
    for (i = 16; i < 32; i += 4) {
        bytes[i + 3] = 1;
        CHECK_STATUS(decode(type, bytes, 36), ACH_CORRUPT);
        CHECK_STATUS(decode(type, bytes, 40), ACH_CORRUPT);
        bytes[i + 3] = 0;
    }
    bytes[19] = bytes[23] = 1;
    CHECK_OK(decode(type, bytes, 40));
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    random_state.seed = seed;
    twins();
    random_body_each(message);
    random_properties();
    printf("%lu bodies tried\n", tried);
    return check_result();
}
