/* SPDX-License-Identifier: BSD-3-Clause */
/* count.c - recordings of 0, 1 and many messages: 10 million in make check-long */
#include "check.h"
#include "sample.h"

#define MANY 1000000u

static void count_read(const struct sample *s, int fd)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    struct mcap_statistics t = {0};
    uint64_t count;

    REQUIRE(r != NULL);
    CHECK(mcap_reader_indexed(r));
    CHECK(mcap_reader_statistics(r, &t) && t.messages == s->count && t.channels == s->channels);
    CHECK(sample_read(s, r, &count) == MCAP_END && count == s->count);
    CHECK(mcap_reader_count(r, 1) == (s->count + s->channels - 1) / s->channels);
    mcap_reader_free(r);
}

static void count_one(uint64_t messages, enum mcap_compression compression)
{
    struct sample s = {
        .seed = messages, .count = messages, .channels = 7, .compression = compression};
    char name[] = "/tmp/mcap-count-XXXXXX";
    int fd = mkstemp(name);
    struct mcap_writer *w;

    REQUIRE(fd >= 0);
    unlink(name);
    w = sample_begin(&s, fd);
    REQUIRE(w != NULL);
    CHECK(sample_write_messages(&s, w, 0, messages) && mcap_writer_finish(w));
    count_read(&s, fd);
    close(fd);
}

int main(void)
{
    static const char *const names[] = {"none", "lz4", "zstd"};
    enum mcap_compression compression;
    size_t i;

    for (i = 0; i < 3; i++) {
        if (!mcap_compression_parse(names[i], &compression)) {
            printf("this build has no %s\n", names[i]);
            continue;
        }
        count_one(0, compression);
        count_one(1, compression);
        count_one(check_scale(MANY), compression);
    }
    CHECK(!mcap_compression_parse("gzip", &compression));
    return check_result();
}
