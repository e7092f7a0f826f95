/* SPDX-License-Identifier: BSD-3-Clause */
#include "sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "circle.h"
#include "clock.h"
#include "log.h"

/* A writer that was stopped in mid-put must not stop the daemon for long, nor again and again. */
#define LOCK_TIMEOUT_NS 20000000u
#define BUSY_NS 200000000u

static void sink_close(struct relay_sink *s)
{
    if (!s->open)
        return;
    ach_close(&s->chan);
    relay_circle_leave(&s->circle);
    relay_origins_close(s->origins);
    s->origins = NULL;
    s->open = false;
}

static void sink_remove(struct relay_sink *s)
{
    sink_close(s);
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    free(s);
}

void relay_sinks_finish(struct relay_sinks *s)
{
    while (s->first)
        sink_remove(s->first);
}

static struct relay_sink *sinks_find(const struct relay_sinks *s, const char *name)
{
    struct relay_sink *i = s->first;

    while (i && strcmp(i->name, name) != 0)
        i = i->next;
    return i;
}

static struct relay_sink *sinks_find_or_add(struct relay_sinks *s, const char *name)
{
    struct relay_sink *sink = sinks_find(s, name);

    if (sink)
        return sink;
    sink = calloc(1, sizeof(*sink));
    if (!sink)
        return NULL;
    snprintf(sink->name, sizeof(sink->name), "%s", name);
    sink->circle = -1;
    sink->at = &s->first;
    sink->next = s->first;
    if (s->first)
        s->first->at = &sink->next;
    s->first = sink;
    return sink;
}

/* Without a user: what a table in memory knows would be lost. */
static void sink_forget(struct relay_sink *s)
{
    if (!s->users && (!s->open || s->kept))
        sink_remove(s);
}

static void sink_use(struct relay_sink *s, struct relay_sink **user)
{
    s->users++;
    relay_sink_leave(user);
    *user = s;
}

void relay_sink_leave(struct relay_sink **user)
{
    struct relay_sink *s = *user;

    *user = NULL;
    if (!s)
        return;
    s->users--;
    sink_forget(s);
}

static enum ach_status no_memory(const char *name)
{
    return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for the channel '%s'", name);
}

static void learn(struct relay_origins *o, const ach_origin_t *origin)
{
    struct relay_origin *e;

    if (!origin->epoch)
        return;
    e = relay_origins_add(o, origin->epoch);
    if (e && origin->seq > e->mark.seq)
        e->mark.seq = origin->seq;
}

/* Read the origins of all messages that the channel holds. */
static void sink_learn(struct relay_sink *s, uint64_t most)
{
    const void *bytes;
    ach_origin_t origin;
    size_t size;

    while (s->relayed && most--) {
        enum ach_status r = ach_view(&s->chan, &bytes, &size, NULL, 0);

        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            return;
        if (ach_channel_origin(&s->chan, &origin) == ACH_OK)
            learn(s->origins, &origin);
    }
}

static enum ach_status open_handle(struct relay_sink *s, bool lock, ach_info_t *info)
{
    enum ach_status r;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_timeout(&attr, LOCK_TIMEOUT_NS);
    ach_attr_set_lock_source(&attr, lock);
    r = ach_open(&s->chan, s->name, &attr);
    if (r == ACH_EAGAIN)
        return ach_errstr_set(r, "another process relays into the channel '%s', or is its source",
                              s->name);
    if (r != ACH_OK)
        return r;
    r = ach_channel_info(&s->chan, info);
    if (r == ACH_OK && info->readonly)
        r = ach_errstr_set(ACH_EACCES, "no permission to write the channel '%s'", s->name);
    if (r != ACH_OK)
        ach_close(&s->chan);
    return r;
}

/* The source lock keeps other daemons out: each would have a table of its own. */
static enum ach_status sink_attach(struct relay_sink *s)
{
    ach_info_t info = {0};
    enum ach_status r = open_handle(s, false, &info);

    if (r == ACH_OK && (info.relayed || info.single_writer)) {
        ach_close(&s->chan);
        r = open_handle(s, true, &info);
    }
    if (r != ACH_OK)
        return r;
    if (!info.relayed)
        r = relay_circle_join(s->name, RELAY_RECEIVES, &s->circle);
    if (r != ACH_OK) {
        ach_close(&s->chan);
        return r;
    }
    s->open = true;
    s->relayed = info.relayed;
    s->epoch = relay_channel_epoch(&info);
    s->capacity = info.capacity;
    s->kept = info.relayed || info.single_writer;
    s->origins = relay_origins_open(s->name, s->epoch, s->kept);
    if (!s->origins) {
        sink_close(s);
        return no_memory(s->name);
    }
    sink_learn(s, 2 * info.frame_cnt);
    return ACH_OK;
}

static enum ach_status attach_or_create(struct relay_sinks *all, struct relay_sink *s,
                                        const struct relay_terms *sender, bool create)
{
    enum ach_status r = sink_attach(s);

    if (r != ACH_ENOENT || !sender)
        return r;
    if (!create)
        return ach_errstr_set(r, "there is no channel '%s', and peers may not create it", s->name);
    r = relay_channel_create(s->name, sender, all->memory_max);
    if (r == ACH_OK)
        all->created += relay_channel_memory(sender);
    return r == ACH_OK || r == ACH_EEXIST ? sink_attach(s) : r;
}

bool relay_sink_check(struct relay_sink *s)
{
    ach_info_t info;
    bool lost =
        s->open && (ach_channel_info(&s->chan, &info) != ACH_OK || info.unlinked || info.replaced);

    if (lost) {
        sink_close(s);
        relay_origins_remove(s->name);
    }
    return lost;
}

void relay_sinks_check(struct relay_sinks *s, const char *name)
{
    struct relay_sink *i, *next;

    for (i = s->first; i; i = next) {
        next = i->next;
        if ((!name || strcmp(i->name, name) == 0) && relay_sink_check(i))
            sink_forget(i);
    }
    relay_origins_sweep(name);
}

enum ach_status relay_sink_share(struct relay_sinks *s, const char *name, struct relay_sink **sink)
{
    struct relay_sink *found = sinks_find_or_add(s, name);

    if (!found)
        return no_memory(name);
    sink_use(found, sink);
    return ACH_OK;
}

enum ach_status relay_sink_open(struct relay_sinks *s, const char *name,
                                const struct relay_terms *sender, bool create,
                                struct relay_sink **sink)
{
    struct relay_sink *found = sinks_find_or_add(s, name);
    enum ach_status r = ACH_OK;
    struct relay_terms ours;
    bool idle;

    if (!found)
        return no_memory(name);
    relay_sink_check(found);
    idle = !found->open && !found->users;
    if (!found->open)
        r = attach_or_create(s, found, sender, create);
    if (r == ACH_OK)
        r = relay_sink_terms(found, &ours);
    if (r == ACH_OK && sender)
        r = relay_channel_match(name, &ours, sender);
    if (r == ACH_OK)
        sink_use(found, sink);
    else if (idle)
        sink_remove(found);
    return r;
}

enum ach_status relay_sink_terms(const struct relay_sink *s, struct relay_terms *t)
{
    ach_info_t info;
    enum ach_status r = ach_channel_info(&s->chan, &info);

    if (r == ACH_OK)
        r = relay_channel_terms(&s->chan, &info, t);
    if (r == ACH_OK)
        relay_origins_tell(s->origins, t);
    return r;
}

static enum relay_put sink_full(struct relay_sink *s)
{
    if (!s->full)
        relay_log_error("channel '%s': messages come from more than %u channels; those of some are "
                        "not put",
                        s->name, RELAY_WIRE_MARKS);
    s->full = true;
    return RELAY_PUT_FAILED;
}

enum relay_put relay_sink_put(struct relay_sink *s, struct relay_origin *e,
                              const ach_origin_t *origin, const void *bytes, size_t size)
{
    enum ach_status r;

    if (origin->epoch == s->epoch)
        return RELAY_PUT_KNOWN;
    if (!e)
        return sink_full(s);
    if (origin->seq <= e->mark.seq)
        return RELAY_PUT_KNOWN;
    if (s->busy && relay_clock_now() < s->busy)
        return RELAY_PUT_BUSY;
    r = s->relayed ? ach_put_relayed(&s->chan, bytes, size, origin)
                   : ach_put(&s->chan, bytes, size);
    s->busy = r == ACH_EAGAIN ? relay_clock_now() + BUSY_NS : 0;
    if (r == ACH_CORRUPT)
        return RELAY_PUT_LOST;
    if (r == ACH_EAGAIN)
        return RELAY_PUT_BUSY;
    if (r != ACH_OK)
        return RELAY_PUT_FAILED;
    e->mark.seq = origin->seq;
    return RELAY_PUT_DONE;
}
