/* SPDX-License-Identifier: BSD-3-Clause */
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "channel.h"
#include "circle.h"

#define ROOM_FIRST 512u

/* Two handles map a channel, and its ring again; to map 4 KiB takes 8 bytes. */
#define MAPPED_PER_BYTE (4096u / 8 / 4)

enum ach_status relay_source_open(struct relay_source *s, const char *name, struct relay_terms *t)
{
    enum ach_status r;
    ach_info_t info;

    *s = (struct relay_source){.circle = -1};
    r = ach_open(&s->chan, name, NULL);
    if (r != ACH_OK)
        return r;
    r = ach_channel_info(&s->chan, &info);
    if (r == ACH_OK)
        r = relay_channel_terms(&s->chan, &info, t);
    else
        ach_errstr_set(r, "cannot read the channel '%s': %s", name, ach_result_to_string(r));
    if (r == ACH_OK)
        r = ach_open(&s->waker, name, NULL);
    if (r == ACH_OK)
        r = ach_channel_fd(&s->waker, &s->fd);
    if (r == ACH_OK && !info.relayed)
        r = relay_circle_join(name, RELAY_SENDS, &s->circle);
    if (r != ACH_OK) {
        ach_close(&s->waker);
        ach_close(&s->chan);
        return r;
    }
    s->open = true;
    s->tables = (size_t)(info.memory / MAPPED_PER_BYTE);
    s->timestamps = info.timestamps;
    s->relayed = info.relayed;
    s->clock = info.clock;
    s->epoch = t->epoch;
    return ACH_OK;
}

void relay_source_close(struct relay_source *s)
{
    if (s->open) {
        ach_close(&s->waker);
        ach_close(&s->chan);
        relay_circle_leave(&s->circle);
    }
    free(s->bytes);
    memset(s, 0, sizeof(*s));
}

void relay_source_renew(struct relay_source *s)
{
    s->renewed = ach_flush(&s->waker) == ACH_OK;
}

bool relay_source_lost(const struct relay_source *s)
{
    ach_info_t info;

    return ach_channel_info(&s->chan, &info) != ACH_OK || info.unlinked || info.replaced;
}

bool relay_source_has(struct relay_source *s)
{
    const struct timespec now = {0};
    ach_wait_item_t item = {.chan = &s->chan};

    return ach_wait(&item, 1, &now, ACH_O_RELTIME) == ACH_OK;
}

static bool source_grow(struct relay_source *s, size_t needed)
{
    unsigned char *more;

    if (needed < ROOM_FIRST)
        needed = ROOM_FIRST;
    more = realloc(s->bytes, needed);
    if (!more)
        return false;
    s->bytes = more;
    s->room = needed;
    return true;
}

static enum ach_status source_copy(struct relay_source *s, int options)
{
    for (;;) {
        enum ach_status r = ach_get(&s->chan, s->bytes, s->room, &s->size, NULL, options);

        if (r != ACH_OVERFLOW)
            return r == ACH_MISSED_FRAME ? ACH_OK : r;
        if (!source_grow(s, s->size))
            return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message of %zu bytes",
                                  s->size);
    }
}

static uint64_t source_stamp(const struct relay_source *s)
{
    struct timespec t;

    if (!s->timestamps || ach_channel_timestamp(&s->chan, &t) != ACH_OK)
        return 0;
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* False: the message was overwritten, so its origin is unknown. */
static bool find_origin(struct relay_source *s)
{
    memset(&s->origin, 0, sizeof(s->origin));
    if (s->relayed && ach_channel_origin(&s->chan, &s->origin) != ACH_OK)
        return false;
    s->local = !s->origin.epoch;
    if (s->local)
        s->origin = (ach_origin_t){s->epoch, s->seq, source_stamp(s)};
    return true;
}

enum ach_status relay_source_get(struct relay_source *s, bool all)
{
    enum ach_status r;

    do {
        r = source_copy(s, all ? 0 : ACH_O_LAST);
        if (r != ACH_OK)
            return r == ACH_CORRUPT ? ACH_ENOENT : r;
        ach_channel_seq(&s->chan, &s->seq);
        s->renewed = false;
    } while (!find_origin(s));
    return ACH_OK;
}
