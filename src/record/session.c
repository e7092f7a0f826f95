/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "complain.h"
#include "description.h"
#include "monotonic.h"

static void session_added(void *context, struct feed_topic *topic)
{
    struct record_session *s = context;
    struct record_topic *t = record_topic_new(topic);

    topic->user = t;
    s->topics++;
    if (t)
        record_output_add(&s->output, t);
    else
        record_complain("there is no memory for the topic '%s'", topic->name);
}

static void session_removed(void *context, struct feed_topic *topic, uint64_t missed)
{
    struct record_session *s = context;

    (void)missed;
    if (topic->user)
        record_output_remove(&s->output, topic->user);
}

/*
 * Drop the oldest entry. The newest message of a map and the like is put again, as each file begins with it; without
 * memory it is lost.
 */
static void session_drop(struct record_session *s, const struct record_entry *oldest)
{
    const struct record_entry entry = *oldest;
    const struct record_topic *t = entry.topic;
    const size_t length = (size_t)entry.length;
    void *bytes = t->topic.keep && t->newest == entry.sequence ? malloc(length + 1) : NULL;
    struct record_entry *again;

    if (bytes)
        memcpy(bytes, oldest + 1, length);
    record_queue_drop(&s->queue);
    again = bytes ? record_queue_reserve(&s->queue, length) : NULL;
    if (again) {
        const uint64_t size = again->size;

        *again = entry;
        again->size = size;
        again->got = monotonic_ns();
        again->put = record_wall();
        memcpy(again + 1, bytes, length);
        record_queue_add(&s->queue, again);
    }
    free(bytes);
}

/* While the trigger is awaited: forget what is older than wanted. What is forgotten is not missed. */
static void session_forget(struct record_session *s)
{
    const int64_t before = monotonic_ns() - (int64_t)(s->options->before * 1e9);
    struct record_entry *e;

    while (s->waiting && (e = record_queue_oldest(&s->queue)) != NULL && e->got < before)
        session_drop(s, e);
}

/* The buffer is full: if the trigger is awaited, the oldest entries make room; at last all of them. */
static struct record_entry *session_reserve(struct record_session *s, size_t size)
{
    struct record_entry *e = record_queue_reserve(&s->queue, size), *oldest;
    uint64_t passed = 0;

    while (!e && s->waiting && (oldest = record_queue_oldest(&s->queue)) != NULL) {
        passed += oldest->size;
        if (passed <= s->queue.room)
            session_drop(s, oldest);
        else
            record_queue_drop(&s->queue);
        s->shortened++;
        e = record_queue_reserve(&s->queue, size);
    }
    return e;
}

static void session_oversized(struct record_topic *t, size_t size)
{
    if (!t->oversized)
        record_complain("%s: a message of %zu bytes is larger than the buffer, and not recorded; "
                        "see --buffer",
                        t->topic.name, size);
    t->oversized = true;
    t->lost.oversized++;
}

static void session_message(void *context, const struct feed_message *m)
{
    struct record_session *s = context;
    struct record_topic *t = m->topic->user;
    struct record_entry *e;

    if (!t || s->full)
        return;
    t->lost.overwritten += m->missed;
    if (!record_queue_fits(&s->queue, m->size)) {
        session_oversized(t, m->size);
        return;
    }
    e = session_reserve(s, m->size);
    if (!e) {
        t->lost.dropped++;
        record_queue_wake(&s->queue);
        return;
    }
    e->topic = t;
    e->overwritten = t->lost.overwritten;
    e->dropped = t->lost.dropped;
    e->oversized = (uint32_t)t->lost.oversized;
    e->put = m->put;
    e->got = monotonic_ns();
    e->sequence = t->newest = (uint32_t)m->sequence;
    memcpy(e + 1, m->data, m->size);
    t->lost = (struct record_lost){0};
    record_queue_add(&s->queue, e);
    s->messages += !s->waiting;
    s->full = s->options->count && s->messages >= s->options->count;
    session_forget(s);
}

static void session_trouble(void *context, const char *channel, const char *sentence)
{
    struct record_session *s = context;

    s->troubles++;
    record_complain("%s: %s", channel, sentence);
}

const struct feed_events record_session_events = {session_added, session_removed, session_message,
                                                  session_trouble};

void record_session_trigger(struct record_session *s)
{
    if (!s->waiting)
        return;
    session_forget(s);
    __atomic_store_n(&s->output.forgotten, s->shortened, __ATOMIC_RELAXED);
    s->waiting = false;
    record_queue_release(&s->queue);
}

void *record_session_write(void *session)
{
    struct record_session *s = session;
    struct record_output *o = &s->output;
    bool ended = false;
    int64_t until = INT64_MAX;
    struct record_entry *e;

    while (!ended) {
        e = record_queue_next(&s->queue, until, &ended);
        if (e) {
            record_output_message(o, e);
            record_queue_done(&s->queue, e);
        }
        until = record_output_flush(o);
        if (o->failed && !__atomic_exchange_n(&s->failed, true, __ATOMIC_RELAXED))
            eventfd_write(s->event, 1);
    }
    return NULL;
}
