/* SPDX-License-Identifier: BSD-3-Clause */
/* format.c - what writers and readers promise, one by one */
#include "check.h"
#include "encode.h"
#include "sample.h"

#define EACH 10

static struct mcap_writer *format_writer(int fd)
{
    struct mcap_writer_options options = {.library = "test", .profile = "ros2"};
    struct mcap_writer *w = mcap_writer_new(fd, &options);

    REQUIRE(w != NULL);
    return w;
}

static uint16_t format_channel(struct mcap_writer *w, const char *topic)
{
    struct mcap_channel channel = {.topic = mcap_text(topic), .encoding = mcap_text("json")};
    uint16_t id = mcap_writer_channel(w, &channel);

    CHECK(id != 0);
    return id;
}

static bool format_put(struct mcap_writer *w, uint16_t channel, uint32_t sequence, uint64_t time)
{
    struct mcap_message m = {.channel = channel,
                             .sequence = sequence,
                             .log_time = time,
                             .publish_time = time,
                             .data = "{}",
                             .size = 2};

    return mcap_writer_message(w, &m);
}

static struct mcap_reader *format_reader(int fd)
{
    struct mcap_reader *r = mcap_reader_new(fd);

    REQUIRE(r != NULL);
    return r;
}

/* The sequence number of the next message; -1: there is none. */
static int64_t format_next(struct mcap_reader *r)
{
    struct mcap_message m;

    return mcap_reader_next(r, &m) == MCAP_OK ? (int64_t)m.sequence : -1;
}

/* A message is refused for what it is, and the writer goes on. */
static void test_refused(void)
{
    struct mcap_pair twice[] = {{mcap_text("a"), mcap_text("1")}, {mcap_text("a"), mcap_text("2")}};
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    struct mcap_message m = {.channel = 1, .data = "", .size = 1};
    struct mcap_channel channel = {.schema = 1, .topic = mcap_text("x"), .encoding = mcap_text("")};
    struct mcap_reader *r;

    CHECK(!mcap_writer_message(w, &m) && errno == EINVAL);
    CHECK(mcap_writer_channel(w, &channel) == 0 && errno == EINVAL);
    channel =
        (struct mcap_channel){.topic = mcap_text("x"), .metadata = twice, .metadata_count = 2};
    CHECK(mcap_writer_channel(w, &channel) == 0 && errno == EINVAL);
    CHECK(!mcap_writer_metadata(w, mcap_text("m"), twice, 2) && errno == EINVAL);
    CHECK(format_channel(w, "y") == 1);
    m.size = MCAP_DATA_MAX + 1;
    CHECK(!mcap_writer_message(w, &m) && errno == EMSGSIZE);
    m.channel = 2;
    m.size = 1;
    CHECK(!mcap_writer_message(w, &m) && errno == EINVAL);
    CHECK(format_put(w, 1, 7, 1));
    CHECK(mcap_writer_finish(w));
    r = format_reader(fd);
    CHECK(strcmp(mcap_reader_profile(r), "ros2") == 0 &&
          strcmp(mcap_reader_library(r), "test") == 0);
    CHECK(format_next(r) == 7 && format_next(r) == -1);
    mcap_reader_free(r);
    close(fd);
    CHECK(mcap_writer_finish(NULL));
    mcap_reader_free(NULL);
}

/* There are 65535 ids. */
static void test_ids(void)
{
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    struct mcap_channel channel = {.topic = mcap_text("x"), .encoding = mcap_text("")};
    struct mcap_statistics s = {0};
    struct mcap_reader *r;
    unsigned i;

    for (i = 1; i <= 65535; i++)
        REQUIRE(mcap_writer_channel(w, &channel) == i);
    CHECK(mcap_writer_channel(w, &channel) == 0 && errno == ENOSPC);
    CHECK(format_put(w, 65535, 1, 1));
    CHECK(mcap_writer_finish(w));
    r = format_reader(fd);
    CHECK(mcap_reader_statistics(r, &s) && s.channels == 65535 && s.messages == 1 && s.chunks == 1);
    CHECK(format_next(r) == 1 && mcap_reader_channel(r, 65535) && mcap_reader_count(r, 65535) == 1);
    CHECK(mcap_reader_channel(r, 0) == NULL && mcap_reader_count(r, 1) == 0);
    mcap_reader_free(r);
    close(fd);
}

/* Texts that are no UTF-8 would make others refuse the file. */
static void test_text(void)
{
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    const struct mcap_channel *c;
    struct mcap_reader *r;

    format_channel(w, "gr\xc3\xbc\xff\xc3");
    CHECK(mcap_writer_finish(w));
    r = format_reader(fd);
    CHECK(format_next(r) == -1);
    c = mcap_reader_channel(r, 1);
    CHECK(c && c->topic.size == 6 && memcmp(c->topic.at, "gr\xc3\xbc??", 6) == 0);
    mcap_reader_free(r);
    close(fd);
}

/* What was flushed can be read while the file is being written. */
static void test_flush(void)
{
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    uint64_t before = mcap_writer_bytes(w);
    struct mcap_message m;
    struct mcap_reader *r;

    format_channel(w, "a");
    CHECK(format_put(w, 1, 5, 1) && mcap_writer_bytes(w) == before);
    CHECK(mcap_writer_flush(w) && mcap_writer_bytes(w) > before);
    before = mcap_writer_bytes(w);
    CHECK(mcap_writer_flush(w) && mcap_writer_bytes(w) == before);
    CHECK(format_put(w, 1, 6, 2));
    r = format_reader(fd);
    CHECK(!mcap_reader_indexed(r) && format_next(r) == 5);
    CHECK(mcap_reader_next(r, &m) == MCAP_CUT && mcap_reader_error(r)[0]);
    CHECK(mcap_reader_next(r, &m) == MCAP_CUT);
    mcap_reader_free(r);
    CHECK(mcap_writer_finish(w));
    close(fd);
}

static bool format_chunk(const struct mcap_reader *r, uint16_t channel, uint64_t up_to,
                         uint64_t first, uint64_t last)
{
    uint64_t a, b;

    return mcap_reader_chunk(r, channel, up_to, &a, &b) && a == first && b == last;
}

/* The index tells where messages of a channel are, also if the times of chunks overlap. */
static void test_chunk(void)
{
    static const uint64_t times[][3] = {/* of messages of both channels in a chunk; 0: none */
                                        {10, 0, 11},
                                        {0, 20, 20},
                                        {30, 31, 31},
                                        {0, 15, 40}};
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    uint16_t a = format_channel(w, "a"), b = format_channel(w, "b");
    struct mcap_reader *r;
    uint64_t first, last;
    size_t i;

    for (i = 0; i < 4; i++) {
        CHECK(!times[i][0] || format_put(w, a, 0, times[i][0]));
        CHECK(!times[i][1] || format_put(w, b, 0, times[i][1]));
        CHECK(format_put(w, times[i][0] ? a : b, 0, times[i][2]) && mcap_writer_flush(w));
    }
    CHECK(mcap_writer_finish(w));
    r = format_reader(fd);
    CHECK(format_chunk(r, a, 29, 10, 11) && format_chunk(r, a, 10, 10, 11));
    CHECK(format_chunk(r, a, 30, 30, 31) && format_chunk(r, a, UINT64_MAX, 30, 31));
    CHECK(format_chunk(r, b, 29, 20, 40) && format_chunk(r, b, 19, 15, 40));
    CHECK(format_chunk(r, b, 30, 30, 40));
    CHECK(!mcap_reader_chunk(r, a, 9, &first, &last));
    CHECK(!mcap_reader_chunk(r, b, 14, &first, &last));
    CHECK(!mcap_reader_chunk(r, 99, UINT64_MAX, &first, &last));
    mcap_reader_free(r);
    close(fd);
}

/* Messages larger than a chunk have one of their own. */
static void test_large(void)
{
    size_t size = 3 << 20, i;
    uint8_t *data = malloc(size);
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    struct mcap_message m = {.channel = 1, .data = data, .size = size};
    struct mcap_statistics s = {0};
    struct mcap_reader *r;

    REQUIRE(data != NULL);
    for (i = 0; i < size; i++)
        data[i] = (uint8_t)(i * i >> 7);
    format_channel(w, "image");
    for (m.sequence = 0; m.sequence < 3; m.sequence++) {
        m.log_time = m.sequence;
        CHECK(format_put(w, 1, 9, m.sequence) && mcap_writer_message(w, &m));
    }
    CHECK(mcap_writer_finish(w));
    r = format_reader(fd);
    CHECK(mcap_reader_statistics(r, &s) && s.chunks == 6 && s.messages == 6);
    for (i = 0; i < 3; i++) {
        CHECK(format_next(r) == 9 && mcap_reader_next(r, &m) == MCAP_OK);
        CHECK(m.sequence == i && m.size == size && memcmp(m.data, data, size) == 0);
    }
    CHECK(format_next(r) == -1);
    mcap_reader_free(r);
    free(data);
    close(fd);
}

/* Chunks whose times overlap, and messages of the same time. */
static int format_overlapping(void)
{
    static const uint64_t times[3][4] = {{10, 40, 20, 30}, {5, 10, 25, 100}, {25, 41, 7, 6}};
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    uint32_t i, j;

    format_channel(w, "a");
    for (i = 0; i < 3; i++) {
        for (j = 0; j < 4; j++)
            CHECK(format_put(w, 1, i * EACH + j, times[i][j]));
        CHECK(mcap_writer_flush(w));
    }
    CHECK(mcap_writer_finish(w));
    return fd;
}

static void test_order(void)
{
    static const int64_t want[] = {10, 23, 22, 0, 11, 2, 12, 20, 3, 1, 21, 13, -1};
    static const struct {
        uint64_t from;
        size_t first;
    } seeks[] = {{0, 0},   {5, 0},   {6, 1},    {25, 6},   {26, 8},
                 {41, 10}, {42, 11}, {100, 11}, {101, 12}, {20, 5}};
    int fd = format_overlapping();
    struct mcap_reader *r = format_reader(fd);
    size_t i, j;

    CHECK(mcap_reader_indexed(r));
    for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        CHECK(format_next(r) == want[i]);
    for (j = 0; j < sizeof(seeks) / sizeof(seeks[0]); j++) {
        CHECK(mcap_reader_seek(r, seeks[j].from));
        for (i = seeks[j].first; i < sizeof(want) / sizeof(want[0]); i++)
            CHECK(format_next(r) == want[i]);
    }
    mcap_reader_free(r);
    close(fd);
}

/* Without an index, in the order of the file; seeking leaves out earlier ones. */
static void test_linear(void)
{
    static const int64_t want[] = {1, 3, 12, 13, 20, 21, -1};
    int fd = format_overlapping();
    struct mcap_reader *r;
    size_t size, i;
    char *bytes = sample_bytes(fd, &size);

    close(fd);
    fd = sample_memory(bytes, size - 1);
    free(bytes);
    r = format_reader(fd);
    CHECK(!mcap_reader_indexed(r) && format_next(r) == 0 && mcap_reader_seek(r, 25));
    for (i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        CHECK(format_next(r) == want[i]);
    mcap_reader_free(r);
    close(fd);
}

struct found {
    unsigned attachments, metadata, limit;
};

static bool format_attachment(void *context, const struct mcap_attachment *a)
{
    struct found *f = context;

    CHECK(a->size == 3 && memcmp(a->data, "abc", 3) == 0 && a->name.size == 1);
    return ++f->attachments != f->limit;
}

static bool format_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                            size_t count)
{
    struct found *f = context;

    CHECK(name.size == 1 && count == 2 && pairs[1].value.size == 1 && pairs[1].value.at[0] == '2');
    return ++f->metadata != f->limit;
}

static int format_extras(void)
{
    struct mcap_pair pairs[] = {{mcap_text("a"), mcap_text("1")}, {mcap_text("b"), mcap_text("2")}};
    struct mcap_attachment a = {.name = mcap_text("n"), .data = "abc", .size = 3};
    int fd = sample_memory("", 0);
    struct mcap_writer *w = format_writer(fd);
    uint32_t i;

    format_channel(w, "a");
    for (i = 0; i < 4; i++) {
        CHECK(format_put(w, 1, i, i) && mcap_writer_attachment(w, &a));
        CHECK(i % 2 || mcap_writer_metadata(w, mcap_text("m"), pairs, 2));
    }
    CHECK(mcap_writer_finish(w));
    return fd;
}

/* Between messages, which go on where they were. */
static void test_extras_of(int fd, enum mcap_result end)
{
    struct mcap_reader *r = format_reader(fd);
    struct found f = {0};
    struct mcap_message m;

    CHECK(format_next(r) == 0 && format_next(r) == 1);
    CHECK(mcap_reader_attachments(r, format_attachment, &f) == MCAP_END && f.attachments == 4);
    CHECK(mcap_reader_metadata(r, format_metadata, &f) == MCAP_END && f.metadata == 2);
    CHECK(format_next(r) == 2);
    f = (struct found){.limit = 1};
    CHECK(mcap_reader_attachments(r, format_attachment, &f) == MCAP_END && f.attachments == 1);
    CHECK(mcap_reader_metadata(r, format_metadata, &f) == MCAP_END && f.metadata == 1);
    CHECK(format_next(r) == 3 && mcap_reader_next(r, &m) == end);
    mcap_reader_free(r);
    close(fd);
}

/* Cut off among the data, not only behind them. */
static void test_extras_cut(const char *bytes, size_t size)
{
    int fd = sample_memory(bytes, size);
    struct mcap_reader *r = format_reader(fd);
    struct found f = {0};

    CHECK(mcap_reader_attachments(r, format_attachment, &f) == MCAP_CUT && f.attachments == 1);
    CHECK(format_next(r) == 0);
    mcap_reader_free(r);
    close(fd);
}

static void test_extras(void)
{
    int fd = format_extras();
    size_t size;
    char *bytes = sample_bytes(fd, &size);

    test_extras_of(fd, MCAP_END);
    test_extras_of(sample_memory(bytes, size - 1), MCAP_CUT);
    test_extras_cut(bytes, 400);
    free(bytes);
}

/* What other writers may write: no chunks, unknown records, no checksums, fields behind those that are known. */
static int format_foreign(bool end)
{
    struct mcap_channel c = {.id = 9, .topic = mcap_text("t"), .encoding = mcap_text("")};
    struct mcap_message m = {.channel = 9, .data = "x", .size = 1};
    struct mcap_buffer b = {0};
    size_t at;
    int fd;

    mcap_buffer_append(&b, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    at = mcap_record_begin(&b, MCAP_HEADER);
    mcap_put_text(&b, mcap_text("p"));
    mcap_put_text(&b, mcap_text("l"));
    mcap_put64(&b, 1);
    mcap_record_end(&b, at);
    mcap_record_end(&b, mcap_record_begin(&b, (enum mcap_opcode)0x80));
    mcap_encode_channel(&b, &c);
    for (m.sequence = 0; m.sequence < 3; m.sequence++) {
        m.log_time = 10 - m.sequence;
        mcap_encode_message(&b, &m);
        mcap_record_end(&b, mcap_record_begin(&b, (enum mcap_opcode)0xff));
    }
    at = mcap_record_begin(&b, MCAP_FOOTER);
    mcap_put64(&b, 0);
    mcap_put64(&b, 0);
    mcap_put32(&b, 0);
    mcap_record_end(&b, at);
    mcap_buffer_append(&b, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    REQUIRE(!b.failed);
    fd = sample_memory(b.at, end ? b.size : at);
    mcap_buffer_free(&b);
    return fd;
}

static void test_foreign_read(int fd, enum mcap_result end)
{
    struct mcap_reader *r = format_reader(fd);
    struct mcap_message m;

    CHECK(!mcap_reader_indexed(r) && strcmp(mcap_reader_profile(r), "p") == 0);
    CHECK(format_next(r) == 0 && format_next(r) == 1 && format_next(r) == 2);
    CHECK(mcap_reader_next(r, &m) == end);
    mcap_reader_free(r);
}

static void test_foreign(void)
{
    struct mcap_statistics s = {0};
    struct mcap_repaired told;
    struct mcap_reader *r;
    int fd = format_foreign(true);

    test_foreign_read(fd, MCAP_END);
    CHECK(mcap_repair(fd, &told) == MCAP_OK && told.removed + told.damaged == 0);
    test_foreign_read(fd, MCAP_END);
    close(fd);
    fd = format_foreign(false);
    test_foreign_read(fd, MCAP_CUT);
    CHECK(mcap_repair(fd, &told) == MCAP_OK && told.removed + told.damaged == 0 && !told.why[0]);
    test_foreign_read(fd, MCAP_END);
    r = format_reader(fd);
    CHECK(mcap_reader_statistics(r, &s) && s.messages == 3 && s.first == 8 && s.last == 10);
    mcap_reader_free(r);
    close(fd);
}

/* What is no recording says so, and repair leaves it alone. */
static void test_none(void)
{
    static const char *const texts[] = {"hello, this is no recording", "x",
                                        "\x89MCAP1\r\n_________________"};
    struct mcap_message m;
    struct mcap_repaired told;
    struct mcap_reader *r;
    size_t i, size;
    char *bytes;
    int fd;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        fd = sample_memory(texts[i], strlen(texts[i]));
        r = format_reader(fd);
        CHECK(mcap_reader_next(r, &m) == MCAP_BAD &&
              strstr(mcap_reader_error(r), "not an MCAP file"));
        CHECK(!mcap_reader_indexed(r));
        mcap_reader_free(r);
        CHECK(mcap_repair(fd, &told) == MCAP_BAD && strstr(told.why, "not an MCAP file") &&
              told.removed == 0);
        bytes = sample_bytes(fd, &size);
        CHECK(size == strlen(texts[i]) && memcmp(bytes, texts[i], size) == 0);
        free(bytes);
        close(fd);
    }
}

/* A pipe: no index, no seeking; the header is read with the first message. */
static void test_pipe(void)
{
    struct mcap_reader *r;
    struct mcap_writer *w;
    struct found f = {0};
    struct mcap_message m;
    int ends[2];

    REQUIRE(pipe(ends) == 0);
    w = format_writer(ends[1]);
    format_channel(w, "a");
    CHECK(format_put(w, 1, 4, 1) && mcap_writer_finish(w));
    close(ends[1]);
    r = format_reader(ends[0]);
    CHECK(!mcap_reader_indexed(r) && !mcap_reader_seek(r, 0) && errno == ESPIPE);
    CHECK(format_next(r) == 4 && strcmp(mcap_reader_library(r), "test") == 0);
    CHECK(mcap_reader_attachments(r, format_attachment, &f) == MCAP_BAD);
    CHECK(mcap_reader_next(r, &m) == MCAP_END);
    mcap_reader_free(r);
    close(ends[0]);
}

/* Each record that a reader expects to be small, of any length. */
static void test_lengths(void)
{
    struct mcap_buffer b = {0};
    struct mcap_message m;
    struct mcap_reader *r;
    unsigned opcode;
    int fd, ends[2];

    for (opcode = 1; opcode < 20; opcode++) {
        b.size = 0;
        mcap_buffer_append(&b, MCAP_MAGIC, MCAP_MAGIC_SIZE);
        mcap_encode_header(&b, "", "");
        mcap_put8(&b, (uint8_t)opcode);
        mcap_put64(&b, UINT64_MAX - opcode);
        fd = sample_memory(b.at, b.size);
        r = format_reader(fd);
        CHECK(mcap_reader_next(r, &m) == MCAP_CUT);
        mcap_reader_free(r);
        close(fd);
        REQUIRE(pipe(ends) == 0 && write(ends[1], b.at, b.size) == (ssize_t)b.size);
        close(ends[1]);
        r = format_reader(ends[0]);
        CHECK(mcap_reader_next(r, &m) != MCAP_OK);
        mcap_reader_free(r);
        close(ends[0]);
    }
    mcap_buffer_free(&b);
}

int main(void)
{
    test_refused();
    test_ids();
    test_text();
    test_flush();
    test_large();
    test_chunk();
    test_order();
    test_linear();
    test_extras();
    test_foreign();
    test_none();
    test_pipe();
    test_lengths();
    return check_result();
}
