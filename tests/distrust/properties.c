/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * properties.c - the properties of the fuzzers, with random bytes
 *
 * Needs no fuzzer, and so runs everywhere. It aborts on failure; the failing
 * seed is one of the 100 from the seed printed last. To repeat: properties SEED
 */
#include "../../fuzz/property.h"

#include "check.h"

#define INPUTS 4000u

static size_t some_bytes(uint64_t seed, uint8_t *bytes, size_t max)
{
    size_t n = (size_t)(check_random(&seed) % max), i;

    for (i = 0; i < n; i++)
        bytes[i] = (uint8_t)check_random(&seed);
    return n;
}

static void one(uint64_t seed)
{
    uint8_t bytes[600];

    property_calls(bytes, some_bytes(seed, bytes, sizeof(bytes)));
    property_file(bytes, some_bytes(seed, bytes, seed % 64 + 2));
}

int main(int argc, char **argv)
{
    uint64_t n = check_scale(INPUTS), seed = (uint64_t)time(NULL) << 20, i;

    if (argc > 1) {
        one(strtoull(argv[1], NULL, 10));
        return 0;
    }
    for (i = 0; i < n; i++) {
        if (i % 100 == 0)
            printf("seeds from %llu\n", (unsigned long long)(seed + i));
        fflush(stdout);
        one(seed + i);
    }
    return 0;
}
