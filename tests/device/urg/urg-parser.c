/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * urg-parser.c - the parser of SCIP 2.0: known bytes, random bytes, damaged bytes
 *
 * property_scans must hold for any bytes; a fuzzer checks it too.
 */
#include "../../../fuzz/property.h"
#include "../../../src/drivers/urg_laser/scip.h"

#include "check.h"

/* Examples of the specification. */
static void known(void)
{
    static const char version[] = "VV\n00P\nPROT:SCIP 2.0;N\nSERI:H0508486;?\n\n";
    struct drv_scip_text block, value;
    static struct drv_scip_reader reader;
    struct drv_scip_answer answer;
    uint32_t v;

    CHECK(drv_scip_decode("CB", 2, &v) && v == 1234);
    CHECK(drv_scip_decode("1Dh", 3, &v) && v == 5432);
    CHECK(drv_scip_decode("m2@0", 4, &v) && v == 16000000);
    CHECK(!drv_scip_decode("1 h", 3, &v));
    CHECK(drv_scip_sum("00", 2) == 'P' && drv_scip_sum("99", 2) == 'b');
    CHECK(drv_scip_read(&reader, version, sizeof(version) - 1, &block) == sizeof(version) - 1);
    REQUIRE(drv_scip_answer(block, &answer));
    CHECK(strcmp(answer.status, "00") == 0);
    CHECK(drv_scip_field(answer.rest, "PROT", &value) && value.size == 8);
    CHECK(memcmp(value.at, "SCIP 2.0", 8) == 0);
    CHECK(!drv_scip_field(answer.rest, "SERI", &value)); /* wrong checksum */
    CHECK(!drv_scip_field(answer.rest, "PRO", &value));
}

static size_t add_line(char *to, const char *text, size_t size)
{
    memcpy(to, text, size);
    to[size] = drv_scip_sum(text, size);
    to[size + 1] = '\n';
    return size + 2;
}

/* A scan of ranges 0, 1, 2, ... */
static size_t make_scan(char *to, unsigned count)
{
    static char data[3 * 2000];
    size_t n = (size_t)sprintf(to, "MD0044072501000\n99b\n0000@\n"), at;
    unsigned i;

    n -= 6;
    n += add_line(to + n, "0001", 4);
    for (i = 0; i < count; i++)
        drv_scip_encode(i, 3, data + (size_t)i * 3);
    for (at = 0; at < (size_t)count * 3; at += 64)
        n += add_line(to + n, data + at, count * 3 - at < 64 ? count * 3 - at : 64);
    to[n++] = '\n';
    return n;
}

static void damaged(void)
{
    static char good[16384], bad[3 * 16384];
    size_t n = make_scan(good, 682), i;
    uint64_t random = 1;
    unsigned passed = 0, rounds = (unsigned)check_scale(3000), k;

    CHECK(property_scans(good, n, 1) == 1 && property_scans(good, n, 64) == 1 &&
          property_scans(good, n, n) == 1);
    for (k = 0; k < rounds; k++) {
        memcpy(bad, good, n);
        bad[check_random(&random) % n] ^= (char)(1u << check_random(&random) % 7);
        passed += property_scans(bad, n, 1 + check_random(&random) % 100);
    }
    /* Only a flip in the echoed command passes here; the driver compares the echo. */
    printf("%u of %u scans with one flipped bit pass\n", passed, rounds);
    CHECK(passed < rounds / 100 + 1 + rounds * 16 / n * 2);
    /* Wherever a byte is lost, a good scan is found after it. */
    for (k = 0; k < rounds; k++) {
        i = check_random(&random) % n;
        memcpy(bad, good, i);
        memcpy(bad + i, good + i + 1, n - i - 1);
        memcpy(bad + n - 1, good, n);
        memcpy(bad + n - 1 + n, good, n);
        if (property_scans(bad, 3 * n - 1, 1 + check_random(&random) % 1000) < 1) {
            CHECK(!"a good scan is found behind a damaged one");
            break;
        }
    }
}

static void random_bytes(void)
{
    static char bytes[40000];
    uint64_t random = 2;
    unsigned rounds = (unsigned)check_scale(300), k;
    size_t i;

    for (k = 0; k < rounds; k++) {
        size_t n = check_random(&random) % sizeof(bytes);
        unsigned often = 2 + (unsigned)(check_random(&random) % 100);

        for (i = 0; i < n; i++)
            bytes[i] = check_random(&random) % often == 0 ? '\n' : (char)check_random(&random);
        property_scans(bytes, n, 1 + check_random(&random) % 5000);
    }
}

int main(void)
{
    known();
    damaged();
    random_bytes();
    return check_result();
}
