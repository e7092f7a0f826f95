/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <sys/stat.h>

#include "check.h"

#define SAMPLE_BASE 1700000000000000000u
#define SAMPLE_STEP 1000u
#define SAMPLE_JITTER 20000u

void sample_message(const struct sample *s, uint64_t i, struct mcap_message *message,
                    uint8_t data[SAMPLE_SIZE_MAX])
{
    uint64_t state = s->seed + i * 0x9e3779b97f4a7c15u, x = check_random(&state);
    size_t n;

    *message = (struct mcap_message){
        .channel = (uint16_t)(1 + i % s->channels),
        .sequence = (uint32_t)i,
        .log_time = SAMPLE_BASE + i * SAMPLE_STEP + x % SAMPLE_JITTER,
        .data = data,
        .size = x >> 32 & 1 ? x >> 40 & 31 : (x >> 40) % SAMPLE_SIZE_MAX,
    };
    message->publish_time = message->log_time - (x >> 50);
    /* Half of them compress well. */
    for (n = 0; n < message->size; n++)
        data[n] = (uint8_t)(x & 1 ? x + n / 16 : check_random(&state));
}

bool sample_same(const struct sample *s, const struct mcap_message *m)
{
    uint8_t data[SAMPLE_SIZE_MAX];
    struct mcap_message want;

    sample_message(s, m->sequence, &want, data);
    return m->channel == want.channel && m->log_time == want.log_time &&
           m->publish_time == want.publish_time && m->size == want.size &&
           (m->size == 0 || memcmp(m->data, data, m->size) == 0);
}

static void sample_topic(unsigned channel, char text[32])
{
    snprintf(text, 32, "/topic/%u", channel);
}

static uint16_t sample_schema(struct mcap_writer *w)
{
    static const char text[] = "{\"type\":\"object\"}";
    struct mcap_schema schema = {.name = mcap_text("Sample"),
                                 .encoding = mcap_text("jsonschema"),
                                 .data = text,
                                 .size = sizeof(text) - 1};

    return mcap_writer_schema(w, &schema);
}

static uint16_t sample_channel(struct mcap_writer *w, unsigned i, uint16_t schema)
{
    struct mcap_pair pairs[] = {{mcap_text("number"), {0}}, {mcap_text("host"), mcap_text("héré")}};
    struct mcap_channel channel = {.schema = i % 3 ? schema : 0,
                                   .encoding = mcap_text("json"),
                                   .metadata = pairs,
                                   .metadata_count = i % 2 ? 2 : 0};
    char topic[32];

    sample_topic(i, topic);
    channel.topic = mcap_text(topic);
    pairs[0].value = mcap_text(topic + strlen("/topic/"));
    return mcap_writer_channel(w, &channel);
}

struct mcap_writer *sample_begin(const struct sample *s, int fd)
{
    struct mcap_writer_options options = {.compression = s->compression,
                                          .chunk_size = s->chunk_size,
                                          .library = "ach",
                                          .profile = ""};
    struct mcap_writer *w = mcap_writer_new(fd, &options);
    uint16_t schema = w ? sample_schema(w) : 0;
    unsigned i;

    for (i = 1; w && i <= s->channels; i++)
        CHECK(sample_channel(w, i, schema) == i);
    return w;
}

bool sample_write_messages(const struct sample *s, struct mcap_writer *w, uint64_t from,
                           uint64_t to)
{
    uint8_t data[SAMPLE_SIZE_MAX];
    struct mcap_message message;
    uint64_t i;

    for (i = from; i < to; i++) {
        sample_message(s, i, &message, data);
        if (!mcap_writer_message(w, &message))
            return false;
        if (s->flush && (i + 1) % s->flush == 0 && !mcap_writer_flush(w))
            return false;
    }
    return true;
}

void sample_extras(struct mcap_writer *w)
{
    struct mcap_pair pairs[] = {{mcap_text("missed"), mcap_text("17")},
                                {mcap_text(""), mcap_text("")}};
    struct mcap_attachment a = {.log_time = 5,
                                .create_time = 6,
                                .name = mcap_text("robot.cfg"),
                                .media_type = mcap_text("text/plain"),
                                .data = "driver (name \"null\")\n",
                                .size = 21};

    CHECK(mcap_writer_attachment(w, &a));
    CHECK(mcap_writer_metadata(w, mcap_text("ach"), pairs, 2));
}

int sample_file(const struct sample *s)
{
    int fd = sample_memory("", 0);
    struct mcap_writer *w = sample_begin(s, fd);

    REQUIRE(w != NULL);
    CHECK(sample_write_messages(s, w, 0, s->count));
    CHECK(mcap_writer_messages(w) == s->count);
    if (s->extras)
        sample_extras(w);
    CHECK(mcap_writer_finish(w));
    return fd;
}

static bool sample_text_is(struct mcap_text text, const char *want)
{
    return text.size == strlen(want) && (text.size == 0 || memcmp(text.at, want, text.size) == 0);
}

bool sample_channel_same(const struct sample *s, const struct mcap_reader *r, uint16_t id)
{
    const struct mcap_channel *c = mcap_reader_channel(r, id);
    const struct mcap_schema *schema = c ? mcap_reader_schema(r, c->schema) : NULL;
    char topic[32];

    sample_topic(id, topic);
    return c && id <= s->channels && c->id == id && sample_text_is(c->topic, topic) &&
           sample_text_is(c->encoding, "json") && c->metadata_count == (id % 2 ? 2 : 0) &&
           (id % 2 == 0 || (sample_text_is(c->metadata[0].value, topic + 7) &&
                            sample_text_is(c->metadata[1].key, "host"))) &&
           (id % 3 == 0) == (c->schema == 0) && (c->schema == 0) == (schema == NULL) &&
           (!schema || (sample_text_is(schema->name, "Sample") && schema->size == 17));
}

/* With an index by time and then number; without by number. */
static bool sample_later(bool indexed, const struct mcap_message *a, const struct mcap_message *b)
{
    if (indexed && a->log_time != b->log_time)
        return a->log_time < b->log_time;
    return indexed ? a->sequence < b->sequence : a->sequence + 1 == b->sequence;
}

enum mcap_result sample_read(const struct sample *s, struct mcap_reader *r, uint64_t *count)
{
    struct mcap_message last = {0}, m;
    enum mcap_result result;
    uint64_t wrong = 0;

    for (*count = 0; (result = mcap_reader_next(r, &m)) == MCAP_OK; ++*count) {
        wrong += !sample_same(s, &m) || (m.sequence < 100 && !sample_channel_same(s, r, m.channel));
        wrong += *count && !sample_later(mcap_reader_indexed(r), &last, &m);
        last = m;
    }
    CHECK(wrong == 0);
    CHECK((result == MCAP_END) == (mcap_reader_error(r)[0] == '\0'));
    return result;
}

int sample_memory(const void *data, size_t size)
{
    int fd = memfd_create("mcap", MFD_CLOEXEC);

    REQUIRE(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    return fd;
}

void *sample_bytes(int fd, size_t *size)
{
    struct stat st;
    char *bytes;

    REQUIRE(fstat(fd, &st) == 0);
    *size = (size_t)st.st_size;
    bytes = malloc(*size + 1);
    REQUIRE(bytes && pread(fd, bytes, *size, 0) == (ssize_t)*size);
    return bytes;
}
