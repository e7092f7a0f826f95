/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contract.c - drivers and clients that do anything, from random bytes
 *
 * What must hold is what a fuzzer checks too. Failing, it aborts; the seed that it printed last
 * is a beginning: threads do not run the same way twice.
 */
#include "../../../fuzz/property.h"

#include "check.h"

#define INPUTS 300u

static void one(uint64_t seed)
{
    uint8_t bytes[1500];
    size_t n = (size_t)(check_random(&seed) % sizeof(bytes)), i;

    for (i = 0; i < n; i++)
        bytes[i] = (uint8_t)check_random(&seed);
    property_driver(bytes, n);
}

int main(int argc, char **argv)
{
    uint64_t n = check_scale(INPUTS), seed = (uint64_t)time(NULL) << 20, i;

    if (argc > 1) {
        one(strtoull(argv[1], NULL, 10));
        return 0;
    }
    for (i = 0; i < n; i++) {
        printf("seed %llu\n", (unsigned long long)(seed + i));
        fflush(stdout);
        one(seed + i);
    }
    return 0;
}
