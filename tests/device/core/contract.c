/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * contract.c - drivers and clients that act on random bytes
 *
 * property_driver, which a fuzzer checks too, aborts if it fails. The seed printed last, given as
 * argument, repeats the input; the failure may not recur, as threads are scheduled differently.
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
