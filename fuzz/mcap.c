/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mcap.c - any bytes as a recording
 *
 * Reading ends. A reader with an index gives messages by time, and after a repair none of those that came before is missing.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "property.h"
#include "reader.h"

#define PIPE_MAX 60000

static int mcap_file(const uint8_t *data, size_t size)
{
    int fd = memfd_create("mcap", MFD_CLOEXEC);

    HOLDS(fd >= 0 && (size == 0 || write(fd, data, size) == (ssize_t)size));
    return fd;
}

/* So that the sum is computed. */
static volatile unsigned mcap_seen;

/* A sum over all bytes, so that one that is not there is noticed. */
static unsigned mcap_touch(const void *data, size_t size)
{
    const uint8_t *bytes = data;
    unsigned sum = 0;
    size_t i;

    for (i = 0; i < size; i++)
        sum += bytes[i];
    return sum;
}

static unsigned mcap_touch_channel(const struct mcap_reader *r, uint16_t id)
{
    const struct mcap_channel *c = mcap_reader_channel(r, id);
    const struct mcap_schema *s;
    unsigned sum;
    size_t i;

    HOLDS(c && c->id == id);
    s = mcap_reader_schema(r, c->schema);
    sum = mcap_touch(c->topic.at, c->topic.size) + mcap_touch(c->encoding.at, c->encoding.size);
    for (i = 0; i < c->metadata_count; i++)
        sum += mcap_touch(c->metadata[i].key.at, c->metadata[i].key.size) +
               mcap_touch(c->metadata[i].value.at, c->metadata[i].value.size);
    return sum + (s ? mcap_touch(s->data, s->size) + mcap_touch(s->name.at, s->name.size) : 0);
}

static bool mcap_one_attachment(void *context, const struct mcap_attachment *a)
{
    *(unsigned *)context += mcap_touch(a->data, a->size) + mcap_touch(a->name.at, a->name.size);
    return true;
}

static bool mcap_one_metadata(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                              size_t count)
{
    size_t i;

    *(unsigned *)context += mcap_touch(name.at, name.size);
    for (i = 0; i < count; i++)
        *(unsigned *)context += mcap_touch(pairs[i].value.at, pairs[i].value.size);
    return true;
}

/* From here to the end. */
static enum mcap_result mcap_messages(struct mcap_reader *r, uint64_t from, uint64_t *count)
{
    bool indexed = mcap_reader_indexed(r);
    struct mcap_message m;
    enum mcap_result result;
    unsigned sum = 0;
    uint64_t last = from;

    for (*count = 0; (result = mcap_reader_next(r, &m)) == MCAP_OK; ++*count) {
        HOLDS(m.log_time >= from && (!indexed || m.log_time >= last));
        last = m.log_time;
        sum += mcap_touch(m.data, m.size);
        if (*count < 16)
            sum += mcap_touch_channel(r, m.channel);
    }
    HOLDS((result == MCAP_END) == (mcap_reader_error(r)[0] == '\0'));
    mcap_seen = sum;
    HOLDS(mcap_reader_next(r, &m) == result);
    return result;
}

static enum mcap_result mcap_whole(int fd, uint64_t *count)
{
    struct mcap_reader *r = mcap_reader_new(fd);
    struct mcap_statistics statistics;
    enum mcap_result result, second;
    unsigned sum = 0;
    uint64_t some;

    HOLDS(r != NULL);
    mcap_reader_statistics(r, &statistics);
    HOLDS(strlen(mcap_reader_profile(r)) + strlen(mcap_reader_library(r)) < UINT32_MAX);
    mcap_reader_attachments(r, mcap_one_attachment, &sum);
    mcap_reader_metadata(r, mcap_one_metadata, &sum);
    result = mcap_messages(r, 0, count);
    /* By the index, a damaged chunk may be passed over. */
    HOLDS(mcap_reader_seek(r, 5));
    second = mcap_messages(r, 5, &some);
    /* The second time, definitions that come late are known: a chunk that had lacked them may be whole. */
    HOLDS(second == result || mcap_reader_indexed(r) || some > *count);
    HOLDS(some <= *count || result != MCAP_END);
    mcap_reader_free(r);
    return result;
}

static void mcap_pipe(const uint8_t *data, size_t size)
{
    struct mcap_reader *r;
    uint64_t count;
    int ends[2];

    HOLDS(pipe(ends) == 0 && (size == 0 || write(ends[1], data, size) == (ssize_t)size));
    close(ends[1]);
    r = mcap_reader_new(ends[0]);
    HOLDS(r != NULL);
    mcap_messages(r, 0, &count);
    mcap_reader_free(r);
    close(ends[0]);
}

void property_mcap(const uint8_t *data, size_t size)
{
    int fd = mcap_file(data, size);
    enum mcap_result before, after;
    uint64_t count, again;
    struct mcap_repaired told;

    before = mcap_whole(fd, &count);
    if (size < PIPE_MAX)
        mcap_pipe(data, size);
    if (mcap_repair(fd, &told) == MCAP_OK) {
        after = mcap_whole(fd, &again);
        HOLDS(after != MCAP_CUT && again >= count);
        HOLDS(before != MCAP_CUT || told.why[0] || after == MCAP_END);
        HOLDS(mcap_repair(fd, &told) == MCAP_OK && told.removed + told.damaged == 0);
    } else
        HOLDS(told.why[0]);
    close(fd);
}
