/* SPDX-License-Identifier: BSD-3-Clause */
/* mcap_file.c - a file of MCAP as a recording */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../mcap/reader.h"
#include "keys.h"
#include "topic.h"

#define MCAP_IDS ((size_t)UINT16_MAX + 1)

/* Only ach record numbers messages as the channel does. */
struct mcap_numbers {
    bool told;  /* the messages of the topic have such numbers */
    bool known; /* the last one */
    uint32_t last;
};

/* By the id of the channel. */
struct mcap_state {
    struct mcap_reader *reader;
    struct logs_topic *topics[MCAP_IDS];
    struct mcap_numbers numbers[MCAP_IDS];
};

/* A device has one channel and several topics, which have gaps where the others have messages. */
static bool mcap_numbered(const struct logs_topic *t)
{
    const char *channel = logs_metadata(t, LOGS_KEY_CHANNEL);

    return channel && strcmp(channel, t->name) == 0;
}

/* Messages that are missing before this one. */
static uint64_t mcap_gap(struct mcap_numbers *n, uint32_t number)
{
    uint32_t gap = n->told && n->known ? number - n->last - 1 : 0;

    n->known = true;
    n->last = number;
    return gap > INT32_MAX ? 0 : gap; /* a step back, in a file that others have sorted */
}

static struct logs_topic *mcap_topic(struct logs_file *f, struct mcap_state *s,
                                     const struct mcap_channel *c)
{
    if (!s->topics[c->id])
        s->topics[c->id] = logs_topic_find(f->topics, f->index, c->id, NULL);
    if (!s->topics[c->id])
        s->topics[c->id] = logs_topic_add(
            f->topics, f->index,
            &(struct logs_topic_of){.id = c->id,
                                    .name = c->topic,
                                    .encoding = c->encoding,
                                    .schema = mcap_reader_schema(s->reader, c->schema),
                                    .metadata = c->metadata,
                                    .metadata_count = c->metadata_count});
    s->numbers[c->id].told = s->topics[c->id] && mcap_numbered(s->topics[c->id]);
    return s->topics[c->id];
}

/* With an index, all channels are known before the first message is read; otherwise after the last. */
static bool mcap_topics(struct logs_file *f, struct mcap_state *s)
{
    size_t id;

    for (id = 0; id < MCAP_IDS; id++) {
        const struct mcap_channel *c = mcap_reader_channel(s->reader, (uint16_t)id);

        if (c && !mcap_topic(f, s, c))
            return logs_fail(f, "unreadable: no memory");
    }
    return true;
}

static bool mcap_open(struct logs_file *f)
{
    struct mcap_state *s = calloc(1, sizeof(*s));

    f->state_of_reader = s;
    if (!s)
        return logs_fail(f, "unreadable: no memory");
    s->reader = mcap_reader_new(f->fd);
    if (!s->reader)
        return logs_fail(f, "unreadable: %s", strerror(errno));
    return mcap_topics(f, s);
}

static void mcap_close(struct logs_file *f)
{
    struct mcap_state *s = f->state_of_reader;

    mcap_reader_free(s->reader);
    free(s);
    f->state_of_reader = NULL;
}

/* Now the topics without messages are known, too. */
static bool mcap_end(struct logs_file *f, struct mcap_state *s, enum mcap_result result)
{
    if (!mcap_topics(f, s))
        return false;
    if (result == MCAP_BAD)
        return logs_fail(f, "damaged: %s", mcap_reader_error(s->reader));
    f->state = result == MCAP_CUT ? LOGS_CUT : LOGS_COMPLETE;
    return false;
}

static bool mcap_next(struct logs_file *f, struct logs_message *m)
{
    struct mcap_state *s = f->state_of_reader;
    const struct mcap_channel *c;
    struct mcap_message msg;
    enum mcap_result result = mcap_reader_next(s->reader, &msg);

    if (result != MCAP_OK)
        return mcap_end(f, s, result);
    if (msg.log_time > INT64_MAX)
        return logs_fail(f, "damaged: a message has an impossible time");
    c = mcap_reader_channel(s->reader, msg.channel);
    *m = (struct logs_message){.topic = c ? mcap_topic(f, s, c) : NULL,
                               .time = (int64_t)msg.log_time,
                               .publish = (int64_t)msg.publish_time,
                               .sequence = msg.sequence,
                               .missed = mcap_gap(&s->numbers[msg.channel], msg.sequence),
                               .data = msg.data,
                               .size = msg.size};
    return m->topic || logs_fail(f, "unreadable: no memory for a topic");
}

static bool mcap_seek(struct logs_file *f, int64_t time)
{
    struct mcap_state *s = f->state_of_reader;
    size_t id;

    for (id = 0; id < MCAP_IDS; id++)
        s->numbers[id].known = false;
    return mcap_reader_seek(s->reader, time > 0 ? (uint64_t)time : 0);
}

static bool mcap_complete(const struct logs_file *f)
{
    const struct mcap_state *s = f->state_of_reader;

    return mcap_reader_indexed(s->reader);
}

static bool mcap_times(const struct logs_file *f, int64_t *first, int64_t *last)
{
    const struct mcap_state *s = f->state_of_reader;
    struct mcap_statistics statistics;

    if (!mcap_reader_indexed(s->reader) || !mcap_reader_statistics(s->reader, &statistics) ||
        statistics.last > INT64_MAX)
        return false;
    if (first) {
        *first = (int64_t)statistics.first;
        *last = (int64_t)statistics.last;
    }
    return true;
}

/* With an index, messages are read without the rest of the file. */
static bool mcap_verify(struct logs_file *f)
{
    struct mcap_state *s = f->state_of_reader;

    if (!mcap_reader_indexed(s->reader) || mcap_reader_verify(s->reader) == MCAP_END)
        return true;
    f->complain("'%s' is damaged, although all messages were read: %s", f->path,
                mcap_reader_error(s->reader));
    return logs_fail(f, "damaged: %s", mcap_reader_error(s->reader));
}

static struct mcap_reader *mcap_of(const struct logs_file *f)
{
    const struct mcap_state *s = f->state_of_reader;

    return s ? s->reader : NULL;
}

const struct logs_reader logs_mcap_reader = {.format = LOGS_MCAP,
                                             .open = mcap_open,
                                             .close = mcap_close,
                                             .next = mcap_next,
                                             .seek = mcap_seek,
                                             .times = mcap_times,
                                             .complete = mcap_complete,
                                             .verify = mcap_verify,
                                             .mcap = mcap_of};
