/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hostile.c - the property of the fuzzer, with recordings that were changed at random
 *
 * They have no checksums, so that changes get past these. It aborts on failure. To repeat: mcap-hostile SEED
 */
#include "../../fuzz/property.h"

#include "bytes.h"
#include "check.h"
#include "sample.h"

#define INPUTS 3000u
#define CHUNK_CRC (MCAP_RECORD_HEADER + 24)
#define FOOTER_CRC (MCAP_RECORD_HEADER + 16)

/* Zero means that there is none. */
static void hostile_no_checksums(uint8_t *bytes, size_t size)
{
    size_t at = MCAP_MAGIC_SIZE;

    while (at + MCAP_RECORD_HEADER + MCAP_MAGIC_SIZE < size) {
        if (bytes[at] == MCAP_CHUNK)
            mcap_store32(bytes + at + CHUNK_CRC, 0);
        if (bytes[at] == MCAP_DATA_END)
            mcap_store32(bytes + at + MCAP_RECORD_HEADER, 0);
        if (bytes[at] == MCAP_FOOTER)
            mcap_store32(bytes + at + FOOTER_CRC, 0);
        at += MCAP_RECORD_HEADER + mcap_load64(bytes + at + 1);
    }
}

static void hostile_change(uint8_t *bytes, size_t size, uint64_t *state)
{
    uint64_t x = check_random(state), value = check_random(state) >> (x >> 40 & 63);
    size_t at = (size_t)(x % (size - sizeof(value))), from = (size_t)(value % size);

    switch (x >> 32 & 3) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << (x >> 50 & 7));
        break;
    case 1:
        mcap_store64(bytes + at, value);
        break;
    case 2:
        mcap_store64(bytes + at, mcap_load64(bytes + at) + (x >> 50 & 15) - 8);
        break;
    default:
        memmove(bytes + at, bytes + from, (size - (from > at ? from : at)) / 4);
    }
}

static void hostile_one(uint64_t seed)
{
    uint64_t state = seed, x = check_random(&state), i;
    struct sample s = {.seed = seed,
                       .count = x % 40,
                       .channels = 3,
                       .flush = 1 + (x >> 8) % 20,
                       .extras = x >> 20 & 1};
    size_t size;
    uint8_t *bytes;
    int fd;

    if (!mcap_compression_parse(x >> 21 & 1   ? "lz4"
                                : x >> 22 & 1 ? "zstd"
                                              : "none",
                                &s.compression))
        s.compression = MCAP_NONE;
    fd = sample_file(&s);
    bytes = sample_bytes(fd, &size);
    close(fd);
    hostile_no_checksums(bytes, size);
    for (i = 0; i <= (x >> 24 & 3); i++)
        hostile_change(bytes, size, &state);
    property_mcap(bytes, x >> 30 & 1 ? size : size - (size_t)((x >> 31) % (size / 2)));
    free(bytes);
}

/* Inputs of which a repair once lost messages, and which were read twice with different results. */
static const uint64_t hostile_known[] = {
    1882249672787164, 1882250091168017, 1882250094315652, 1882250256842883,
    1882250382673371, 1882250382676631, 1882250382682806, 1882250382690135,
    1900000000062425, 1900000000255751, 1900000000376224,
};

int main(int argc, char **argv)
{
    uint64_t n = check_scale(INPUTS), seed = (uint64_t)time(NULL) << 20, i;

    if (argc > 1) {
        hostile_one(strtoull(argv[1], NULL, 10));
        return check_result();
    }
    for (i = 0; i < sizeof(hostile_known) / sizeof(hostile_known[0]); i++)
        hostile_one(hostile_known[i]);
    for (i = 0; i < n; i++) {
        if (i % 100 == 0)
            printf("seeds from %llu\n", (unsigned long long)(seed + i));
        fflush(stdout);
        hostile_one(seed + i);
    }
    return check_result();
}
