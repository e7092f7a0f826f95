/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cut.c - a recording that was cut off at any byte of its last two chunks, and behind them
 *
 * A reader gives the messages of the whole chunks and says that the file was cut off. After mcap_repair the file is byte for byte
 * what the writer would have written if it had ended behind these chunks.
 */
#include "check.h"
#include "sample.h"

#define CHUNKS 4
#define EACH 20

struct cut {
    struct sample sample;
    uint8_t *bytes;
    size_t size;
    size_t behind[CHUNKS + 1]; /* the end of chunk i - 1, without its indexes */
    void *whole[CHUNKS + 1];   /* a file of so many chunks */
    size_t whole_size[CHUNKS + 1];
};

/* The ends of chunks, by the lengths of records. */
static void cut_find(struct cut *c)
{
    size_t at = MCAP_MAGIC_SIZE, n = 0;
    uint64_t length;

    while (at + MCAP_RECORD_HEADER < c->size) {
        unsigned opcode = c->bytes[at];

        memcpy(&length, c->bytes + at + 1, sizeof(length));
        at += MCAP_RECORD_HEADER + length;
        if (opcode == MCAP_CHUNK)
            c->behind[++n] = at;
    }
    REQUIRE(n == CHUNKS);
}

static size_t cut_chunks(const struct cut *c, size_t size)
{
    size_t n = CHUNKS;

    while (n && size < c->behind[n])
        n--;
    return n;
}

static void cut_prepare(struct cut *c, enum mcap_compression compression)
{
    size_t i;
    int fd;

    c->sample =
        (struct sample){.seed = 3, .channels = 3, .compression = compression, .flush = EACH};
    for (i = 0; i <= CHUNKS; i++) {
        c->sample.count = i * EACH;
        fd = sample_file(&c->sample);
        c->whole[i] = sample_bytes(fd, &c->whole_size[i]);
        close(fd);
    }
    c->bytes = c->whole[CHUNKS];
    c->size = c->whole_size[CHUNKS];
    cut_find(c);
}

static bool cut_read(const struct cut *c, int fd, size_t size, enum mcap_result want)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    uint64_t count = 0;
    enum mcap_result result = r ? sample_read(&c->sample, r, &count) : MCAP_BAD;
    bool ok = result == want && count == cut_chunks(c, size) * EACH &&
              mcap_reader_indexed(r) == (want == MCAP_END);

    if (!ok)
        fprintf(stderr, "of %zu bytes: result %d, %llu messages\n", size, result,
                (unsigned long long)count);
    mcap_reader_free(r);
    return ok;
}

static bool cut_pipe(const struct cut *c, size_t size)
{
    struct mcap_reader *r;
    uint64_t count = 0;
    enum mcap_result result;
    int ends[2];

    REQUIRE(size < 60000 && pipe(ends) == 0 && write(ends[1], c->bytes, size) == (ssize_t)size);
    close(ends[1]);
    r = mcap_reader_new(ends[0]);
    REQUIRE(r != NULL);
    result = sample_read(&c->sample, r, &count);
    mcap_reader_free(r);
    close(ends[0]);
    return result == MCAP_CUT && count == cut_chunks(c, size) * EACH;
}

static bool cut_repaired(const struct cut *c, int fd, size_t size)
{
    size_t n = cut_chunks(c, size), now;
    struct mcap_repaired told;
    void *bytes;
    bool ok = mcap_repair(fd, &told) == MCAP_OK && told.why[0] == '\0' && told.removed <= size &&
              told.damaged == 0;

    bytes = sample_bytes(fd, &now);
    /* Without a chunk, nothing tells the channels that a writer had in mind. */
    ok = ok && (n == 0 || now == c->whole_size[n]) &&
         (n == 0 || memcmp(bytes, c->whole[n], now) == 0);
    free(bytes);
    return ok && mcap_repair(fd, &told) == MCAP_OK && told.removed == 0;
}

/* Before the first chunk, too: the header. */
static void cut_every_byte(const struct cut *c, size_t from, size_t to)
{
    size_t size;
    bool ok = true;
    int fd;

    for (size = from; ok && size < to; size++) {
        fd = sample_memory(c->bytes, size);
        ok = CHECK(cut_read(c, fd, size, MCAP_CUT)) && CHECK(cut_pipe(c, size)) &&
             CHECK(cut_repaired(c, fd, size)) && CHECK(cut_read(c, fd, size, MCAP_END));
        close(fd);
        if (!ok)
            fprintf(stderr, "cut to %zu bytes\n", size);
    }
}

/* After a power failure, the end of the file may be zeros. */
static void cut_zeros(const struct cut *c)
{
    uint8_t *bytes = calloc(1, c->size + 5000);
    size_t size;
    bool ok = true;
    int fd;

    REQUIRE(bytes != NULL);
    for (size = c->behind[CHUNKS - 1]; ok && size < c->size; size += 7) {
        memcpy(bytes, c->bytes, size);
        memset(bytes + size, 0, c->size + 5000 - size);
        fd = sample_memory(bytes, size + 5000);
        /* A chunk may end with zeros. */
        if (cut_chunks(c, size) == cut_chunks(c, size + 8))
            ok = CHECK(cut_read(c, fd, size, MCAP_CUT));
        close(fd);
    }
    free(bytes);
}

static void cut_all(enum mcap_compression compression)
{
    struct cut c = {0};
    size_t i;

    cut_prepare(&c, compression);
    cut_every_byte(&c, 9, c.behind[0] + 60);
    cut_every_byte(&c, c.behind[CHUNKS - 2], c.size);
    cut_zeros(&c);
    for (i = 0; i <= CHUNKS; i++)
        free(c.whole[i]);
}

int main(void)
{
    enum mcap_compression compression;

    cut_all(MCAP_NONE);
    if (mcap_compression_parse("lz4", &compression))
        cut_all(compression);
    if (mcap_compression_parse("zstd", &compression))
        cut_all(compression);
    return check_result();
}
