/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * describe.c - write a recording, and tell another reader what is in it
 *
 *     describe FILE MESSAGES none|lz4|zstd
 *
 * The description is a JSON text on stdout. `digest` is the CRC-32 of all messages by log time, those of the same time in the
 * order of the file: channel, sequence number and the two times, little-endian, and the data.
 */
#include "bytes.h"
#include "check.h"
#include "crc32.h"
#include "sample.h"

struct moment {
    uint64_t time, number;
};

static int describe_compare(const void *a, const void *b)
{
    const struct moment *one = a, *other = b;

    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static struct moment *describe_order(const struct sample *s)
{
    struct moment *order = malloc((s->count + 1) * sizeof(*order));
    uint8_t data[SAMPLE_SIZE_MAX];
    struct mcap_message m;
    uint64_t i;

    REQUIRE(order != NULL);
    for (i = 0; i < s->count; i++) {
        sample_message(s, i, &m, data);
        order[i] = (struct moment){.time = m.log_time, .number = i};
    }
    qsort(order, s->count, sizeof(*order), describe_compare);
    return order;
}

static uint32_t describe_digest(const struct sample *s, const struct moment *order)
{
    uint8_t data[SAMPLE_SIZE_MAX], head[22];
    struct mcap_message m;
    uint32_t crc = 0;
    uint64_t i;

    for (i = 0; i < s->count; i++) {
        sample_message(s, order[i].number, &m, data);
        mcap_store64(
            mcap_store64(mcap_store32(mcap_store16(head, m.channel), m.sequence), m.log_time),
            m.publish_time);
        crc = crc32_of(crc32_of(crc, head, sizeof(head)), data, m.size);
    }
    return crc;
}

/* Channels take turns, so the counts follow. */
static void describe_channels(const struct sample *s)
{
    unsigned i;

    printf("\"channels\": [");
    for (i = 1; i <= s->channels; i++)
        printf("%s{\"id\": %u, \"topic\": \"/topic/%u\", \"schema\": %d, \"messages\": %llu, "
               "\"metadata\": {%s%.0u%s}}",
               i > 1 ? ", " : "", i, i, i % 3 ? 1 : 0,
               (unsigned long long)(s->count / s->channels + (i - 1 < s->count % s->channels)),
               i % 2 ? "\"host\": \"héré\", \"number\": \"" : "", i % 2 ? i : 0, i % 2 ? "\"" : "");
    printf("],\n");
}

static void describe(const struct sample *s)
{
    struct moment *order = describe_order(s);

    printf("{\"messages\": %llu, \"first\": \"%llu\", \"last\": \"%llu\", \"digest\": %u,\n",
           (unsigned long long)s->count, (unsigned long long)(s->count ? order[0].time : 0),
           (unsigned long long)(s->count ? order[s->count - 1].time : 0),
           describe_digest(s, order));
    describe_channels(s);
    printf("\"schema\": {\"id\": 1, \"name\": \"Sample\", \"encoding\": \"jsonschema\", "
           "\"data\": \"{\\\"type\\\":\\\"object\\\"}\"},\n"
           "\"attachment\": {\"logTime\": \"5\", \"createTime\": \"6\", \"name\": \"robot.cfg\", "
           "\"mediaType\": \"text/plain\", \"data\": \"driver (name \\\"null\\\")\\n\"},\n"
           "\"metadata\": {\"name\": \"ach\", \"metadata\": {\"missed\": \"17\", \"\": \"\"}}}\n");
    free(order);
}

int main(int argc, char **argv)
{
    struct sample s = {.seed = 11, .channels = 5, .extras = true, .chunk_size = 65536};
    struct mcap_writer *w;
    int fd;

    REQUIRE(argc == 4);
    if (!mcap_compression_parse(argv[3], &s.compression))
        check_skip("this build lacks the compression");
    s.count = strtoull(argv[2], NULL, 10);
    if (s.count > 1000000)
        s.chunk_size = 0;
    fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    w = sample_begin(&s, fd);
    REQUIRE(w && sample_write_messages(&s, w, 0, s.count));
    sample_extras(w);
    REQUIRE(mcap_writer_finish(w));
    describe(&s);
    return check_result();
}
