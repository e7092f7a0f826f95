/* SPDX-License-Identifier: BSD-3-Clause */
/* channel_file.c - the log of a channel as a recording */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "log.h"
#include "parse.h"
#include "topic.h"

#define CHANNEL_PAIRS 8

struct channel_pairs {
    struct mcap_pair list[CHANNEL_PAIRS];
    char texts[CHANNEL_PAIRS][32];
    size_t n;
};

static void pairs_add(struct channel_pairs *p, const char *key, const char *value)
{
    p->list[p->n++] = (struct mcap_pair){mcap_text(key), mcap_text(value)};
}

static void pairs_number(struct channel_pairs *p, const char *key, int64_t value)
{
    snprintf(p->texts[p->n], sizeof(p->texts[0]), "%" PRId64, value);
    pairs_add(p, key, p->texts[p->n]);
}

static void pairs_count(struct channel_pairs *p, const char *key, uint64_t value)
{
    snprintf(p->texts[p->n], sizeof(p->texts[0]), "%" PRIu64, value);
    pairs_add(p, key, p->texts[p->n]);
}

/* The same keys as those of ach record, so that a file of MCAP made of this keeps the geometry. */
static struct logs_topic *channel_topic(struct logs_file *f, const struct log_info *info)
{
    struct logs_topic *t = logs_topic_find(f->topics, f->index, 0, info->channel);
    struct channel_pairs p = {.n = 0};
    int64_t offset = 0;

    if (t)
        return t;
    pairs_add(&p, LOGS_KEY_CHANNEL, info->channel);
    pairs_count(&p, LOGS_KEY_COUNT, info->frame_cnt);
    pairs_count(&p, LOGS_KEY_SIZE, info->frame_size);
    if (clock_name((clockid_t)info->clock))
        pairs_add(&p, LOGS_KEY_CLOCK, clock_name((clockid_t)info->clock));
    else
        pairs_number(&p, LOGS_KEY_CLOCK, info->clock);
    pairs_number(&p, LOGS_KEY_TIMESTAMPS, info->stamped);
    if (!__builtin_sub_overflow(info->realtime_ns, info->clock_ns, &offset))
        pairs_number(&p, LOGS_KEY_OFFSET, offset);
    pairs_add(&p, LOGS_KEY_TYPE, "");
    pairs_add(&p, LOGS_KEY_ENCODING, "");
    return logs_topic_add(f->topics, f->index,
                          &(struct logs_topic_of){.name = mcap_text(info->channel),
                                                  .encoding = mcap_text(""),
                                                  .metadata = p.list,
                                                  .metadata_count = p.n});
}

struct channel_state {
    struct log_reader reader;
    struct logs_topic *topic;
};

static bool channel_end(struct logs_file *f, const struct log_reader *r, enum log_result result)
{
    if (result == LOG_BAD)
        return logs_fail(f, "%s", r->error);
    f->state = result == LOG_END ? LOGS_COMPLETE : LOGS_CUT;
    return false;
}

static bool channel_open(struct logs_file *f)
{
    struct channel_state *c = calloc(1, sizeof(*c));
    enum log_result result;

    f->state_of_reader = c;
    if (!c)
        return logs_fail(f, "unreadable: no memory");
    result = log_reader_init(&c->reader, f->fd);
    if (result != LOG_OK)
        return channel_end(f, &c->reader, result);
    c->topic = channel_topic(f, &c->reader.info);
    return c->topic || logs_fail(f, "unreadable: no memory");
}

static void channel_close(struct logs_file *f)
{
    struct channel_state *c = f->state_of_reader;

    log_reader_finish(&c->reader);
    free(c);
    f->state_of_reader = NULL;
}

static bool channel_next(struct logs_file *f, struct logs_message *m)
{
    struct channel_state *c = f->state_of_reader;
    struct log_message msg;
    enum log_result result = log_reader_next(&c->reader, &msg);

    if (result != LOG_OK)
        return channel_end(f, &c->reader, result);
    *m = (struct logs_message){.topic = c->topic,
                               .untimed = msg.untimed,
                               .sequence = msg.seq,
                               .missed = msg.missed,
                               .data = msg.data,
                               .size = msg.size};
    if (!log_realtime(&c->reader.info, msg.time_ns, &m->time) && !msg.untimed)
        return logs_fail(f, "damaged: it has an impossible time in message %" PRIu64,
                         c->reader.messages);
    m->publish = m->time;
    return true;
}

static bool channel_complete(const struct logs_file *f)
{
    (void)f;
    return true;
}

const struct logs_reader logs_channel_reader = {.format = LOGS_CHANNEL,
                                                .open = channel_open,
                                                .close = channel_close,
                                                .next = channel_next,
                                                .complete = channel_complete};
