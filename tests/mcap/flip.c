/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * flip.c - recordings with damaged bits
 *
 * A reader gives only messages that were written, each at most once, and does not call the file whole if one is missing. So does
 * it after mcap_repair.
 */
#include "bytes.h"
#include "check.h"
#include "sample.h"

#define MESSAGES 30

struct flip {
    struct sample sample;
    uint8_t *bytes;
    size_t size;
    unsigned results[4];
};

/* Each message at most once, and none that was not written. */
static enum mcap_result flip_read(const struct flip *f, int fd, uint64_t *count)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    bool seen[MESSAGES] = {false};
    struct mcap_statistics t = {.messages = MESSAGES, .channels = 2, .attachments = 1};
    struct mcap_message m;
    enum mcap_result result;

    REQUIRE(r != NULL);
    mcap_reader_statistics(r, &t);
    CHECK(t.messages == MESSAGES && t.channels == 2 && t.attachments == 1);
    for (*count = 0; (result = mcap_reader_next(r, &m)) == MCAP_OK; ++*count) {
        if (!CHECK(m.sequence < MESSAGES && !seen[m.sequence] && sample_same(&f->sample, &m) &&
                   sample_channel_same(&f->sample, r, m.channel)))
            break;
        seen[m.sequence] = true;
    }
    mcap_reader_free(r);
    return result;
}

static void flip_one(struct flip *f, size_t bit)
{
    struct mcap_repaired told;
    uint64_t count, after;
    enum mcap_result result;
    int fd, before = check_failures;

    f->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    fd = sample_memory(f->bytes, f->size);
    result = flip_read(f, fd, &count);
    CHECK(result != MCAP_END || count == MESSAGES);
    f->results[result]++;
    result = mcap_repair(fd, &told);
    CHECK(result == MCAP_OK || (result == MCAP_BAD && told.why[0]));
    if (result == MCAP_OK && told.removed + told.damaged == 0)
        CHECK(flip_read(f, fd, &after) != MCAP_CUT && after >= count);
    close(fd);
    f->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    if (check_failures > before)
        fprintf(stderr, "bit %zu of byte %zu of %zu\n", bit % 8, bit / 8, f->size);
}

/* The same for a file without an end. */
static void flip_all(enum mcap_compression compression, size_t step)
{
    struct flip f = {.sample = {.seed = 5,
                                .count = MESSAGES,
                                .channels = 2,
                                .compression = compression,
                                .flush = MESSAGES / 3,
                                .extras = true}};
    int fd = sample_file(&f.sample);
    size_t bit;

    f.bytes = sample_bytes(fd, &f.size);
    close(fd);
    for (bit = 0; check_failures < 5 && bit < f.size * 8; bit += step)
        flip_one(&f, bit);
    printf("%zu bits: %u times all messages, %u times cut off, %u times damaged\n", bit / step,
           f.results[MCAP_END], f.results[MCAP_CUT], f.results[MCAP_BAD]);
    CHECK(f.results[MCAP_BAD] > bit / step / 2);
    free(f.bytes);
}

static uint64_t flip_count(int fd)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    struct mcap_message m;
    uint64_t count = 0;

    REQUIRE(r != NULL);
    while (mcap_reader_next(r, &m) == MCAP_OK)
        count++;
    mcap_reader_free(r);
    return count;
}

/* The offset of chunk i; behind the last one, of the end of the data. */
static size_t flip_chunk(const uint8_t *bytes, unsigned i)
{
    size_t at = MCAP_MAGIC_SIZE;

    while (bytes[at] != MCAP_DATA_END && (bytes[at] != MCAP_CHUNK || i--))
        at += MCAP_RECORD_HEADER + mcap_load64(bytes + at + 1);
    return at;
}

/*
 * Without an index: the second chunk is too long, and has a copy of its own head at its end, which seems to be a chunk that
 * ends in the third. The third is found.
 */
static void flip_length(void)
{
    struct flip f = {
        .sample = {.seed = 5, .count = MESSAGES, .channels = 2, .flush = MESSAGES / 3}};
    struct mcap_repaired told;
    size_t second, third;
    int fd = sample_file(&f.sample);

    f.bytes = sample_bytes(fd, &f.size);
    close(fd);
    f.size = flip_chunk(f.bytes, 3);
    second = flip_chunk(f.bytes, 1);
    third = second + MCAP_RECORD_HEADER + mcap_load64(f.bytes + second + 1);
    memcpy(f.bytes + third - 60, f.bytes + second, 60);
    mcap_store64(f.bytes + second + 1, flip_chunk(f.bytes, 2) - second);
    fd = sample_memory(f.bytes, f.size);
    CHECK(flip_count(fd) == MESSAGES / 3 * 2);
    CHECK(mcap_repair(fd, &told) == MCAP_OK && told.chunks == 1);
    CHECK(flip_count(fd) == MESSAGES / 3 * 2);
    close(fd);
    free(f.bytes);
}

int main(void)
{
    size_t step = (size_t)(check_scale(100) < 100 ? 100 / check_scale(100) : 1);
    enum mcap_compression compression;

    flip_all(MCAP_NONE, step);
    if (mcap_compression_parse("lz4", &compression))
        flip_all(compression, step);
    if (mcap_compression_parse("zstd", &compression))
        flip_all(compression, step);
    flip_length();
    return check_result();
}
