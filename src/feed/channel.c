/* SPDX-License-Identifier: BSD-3-Clause */
#include "channel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "delivery.h"
#include "wake.h"

#define ROOM_FIRST 65536u

#define QUIET_NS 1000000000
#define POLLED_MIN 5000000

/* Of all schemas of channels of other users, in a lazy feed: a viewer shows all channels, whoever made them. */
#define FOREIGN_MAX (64u << 20)

/* The longest reading of one channel. */
#define DRAIN_NS 3000000
/* A lazy feed that reads a channel for so long without an end goes on with the newest message. */
#define BEHIND_NS 100000000

struct feed_channel *feed_channel_new(const char *name, enum ach_map map)
{
    struct feed_channel *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    snprintf(c->name, sizeof(c->name), "%s", name);
    c->map = map;
    c->fd = -1;
    return c;
}

void feed_channel_free(struct feed_channel *c)
{
    free(c);
}

static bool channel_room(struct feed_common *f, size_t room)
{
    uint8_t *more;

    if (f->room >= room)
        return true;
    more = realloc(f->buffer, FEED_HEADROOM + room);
    if (!more)
        return false;
    f->buffer = more;
    f->room = room;
    return true;
}

static enum ach_status channel_get(struct feed_common *f, struct feed_channel *c, size_t *size)
{
    const int options = c->newest ? ACH_O_LAST | ACH_O_COPY : c->jump ? ACH_O_LAST : 0;
    enum ach_status r;

    if (!channel_room(f, ROOM_FIRST))
        return ACH_FAILED_SYSCALL;
    do {
        r = ach_get(&c->chan, f->buffer + FEED_HEADROOM, f->room, size, NULL, options);
        if (r == ACH_OVERFLOW && !channel_room(f, *size + *size / 4))
            return ACH_FAILED_SYSCALL;
    } while (r == ACH_OVERFLOW);
    return r;
}

static const char *channel_why(const struct feed_channel *c, enum ach_status status)
{
    ach_info_t info;

    if (status == ACH_FAILED_SYSCALL)
        return "there is no memory for a message";
    if (ach_channel_info(&c->chan, &info) == ACH_BAD_SHM_FILE)
        return "the channel's memory is lost: its file was cut short";
    return "the channel's memory is damaged";
}

/* How many messages and bytes were read. */
struct amount {
    uint64_t messages, bytes, missed;
    bool more; /* the time was over before all were read */
};

/*
 * A writer must not keep the feed here, where other channels wait: read until this time, and about what the
 * channel holds.
 */
static struct amount channel_drain(struct feed_common *f, struct feed_channel *c, int64_t until)
{
    struct amount a = {.messages = 0};
    enum ach_status r = ACH_OK;
    size_t size;

    while (!a.more && a.messages <= c->info.frame_cnt) {
        uint64_t missed = 0;

        r = channel_get(f, c, &size);
        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            break;
        c->newest = c->jump = false;
        if (r == ACH_MISSED_FRAME)
            ach_channel_missed(&c->chan, &missed, NULL);
        missed -= missed < c->gone ? missed : c->gone;
        c->gone = 0;
        feed_deliver(f, c, size, missed);
        a.messages++;
        a.bytes += size;
        a.missed += missed;
        a.more = a.messages > c->info.frame_cnt || feed_clock_now(CLOCK_MONOTONIC) >= until;
    }
    c->newest = c->newest && r == ACH_OK;
    if (r == ACH_CORRUPT || r == ACH_FAILED_SYSCALL)
        c->suspect = true;
    if ((r == ACH_CORRUPT && !feed_channel_lost(c)) || r == ACH_FAILED_SYSCALL)
        feed_channel_trouble(f, c, channel_why(c, r));
    return a;
}

/* A quarter of the time in which the channel is overwritten at the present rate. */
static int64_t channel_period(const struct feed_channel *c, const struct amount *a, int64_t elapsed,
                              int64_t longest)
{
    double by_messages = INFINITY, by_bytes = INFINITY, period;

    if (a->messages)
        by_messages = (double)elapsed * (double)c->info.frame_cnt / (double)a->messages;
    if (a->bytes)
        by_bytes = (double)elapsed * (double)c->info.capacity / (double)a->bytes;
    period = (by_messages < by_bytes ? by_messages : by_bytes) / 4;
    if (period > 2 * (double)c->period)
        period = 2 * (double)c->period;
    if (a->missed && period > (double)c->period / 2)
        period = (double)c->period / 2;
    if (period > (double)longest)
        return longest;
    return period < FEED_PERIOD_MIN ? FEED_PERIOD_MIN : (int64_t)period;
}

static void channel_sleep(struct feed_common *f, struct feed_channel *c)
{
    if (!feed_wake_arm(f, c)) {
        c->state = FEED_POLLED;
        c->period = c->period < POLLED_MIN ? POLLED_MIN : c->period;
        c->due = c->read + c->period;
        return;
    }
    c->state = FEED_ASLEEP;
    c->due = INT64_MAX;
    if (channel_drain(f, c, c->read + DRAIN_NS).messages) {
        c->quiet = c->read;
        c->state = FEED_ACTIVE;
        c->due = c->read + FEED_PERIOD_MIN;
        feed_wake_disarm(f, c);
    }
}

static void channel_wake(struct feed_common *f, struct feed_channel *c)
{
    if (c->state == FEED_ASLEEP)
        feed_wake_disarm(f, c);
    if (c->state != FEED_ACTIVE)
        c->period = FEED_PERIOD_MIN;
    c->state = FEED_ACTIVE;
    c->woken = false;
}

static void channel_rest(struct feed_common *f, struct feed_channel *c)
{
    if (c->state == FEED_ASLEEP)
        feed_wake_disarm(f, c);
    c->state = FEED_DORMANT;
    c->due = INT64_MAX;
}

/* A viewer that cannot follow a writer shows the newest, a recorder reads all. */
static void channel_follow(const struct feed_common *f, struct feed_channel *c, bool more)
{
    if (!f->lazy || !more)
        c->behind = 0;
    else if (!c->behind)
        c->behind = c->read;
    else if (c->read - c->behind > BEHIND_NS)
        c->jump = true;
    if (c->jump)
        c->behind = 0;
}

/* In a lazy feed, messages that are in a device's channel tell which topics there are. */
static void channel_plan(struct feed_common *f, struct feed_channel *c, const struct amount *a,
                         int64_t elapsed)
{
    if (a->messages) {
        c->quiet = c->read;
        c->learning = false;
    }
    if (!feed_channel_wanted(f, c)) {
        channel_rest(f, c);
    } else if (c->read - c->quiet < QUIET_NS) {
        c->state = FEED_ACTIVE;
        c->period = channel_period(c, a, elapsed, f->period);
        c->due = a->more ? c->read : c->read + c->period;
    } else if (c->state == FEED_POLLED) {
        c->due = c->read + c->period;
    } else {
        channel_sleep(f, c);
    }
}

void feed_channel_read(struct feed_common *f, struct feed_channel *c)
{
    int64_t now = feed_clock_now(CLOCK_MONOTONIC), elapsed = now - c->read;
    struct feed_outlet *t;
    struct amount a;

    if (c->woken)
        channel_wake(f, c);
    c->read = now;
    for (t = c->outlets; t; t = t->next) {
        t->topic.clock_offset = feed_clock_offset(&f->clocks, c->info.clock, now);
        feed_outlet_again(&f->output, t);
    }
    if (!feed_channel_wanted(f, c)) {
        channel_rest(f, c);
        return;
    }
    a = channel_drain(f, c, now + DRAIN_NS);
    channel_follow(f, c, a.more);
    channel_plan(f, c, &a, elapsed > 0 ? elapsed : 1);
}

/*
 * Where to begin in a channel that was just opened. Messages that were overwritten before are missed only if
 * the channel was created while the feed ran. Returns how many do not count.
 */
static uint64_t channel_begin(const struct feed_common *f, struct feed_channel *c, bool late)
{
    if (late)
        return 0;
    if (c->learning)
        return UINT64_MAX;
    if (f->held)
        return c->info.oldest ? c->info.oldest - 1 : 0;
    return ach_flush(&c->chan) == ACH_OK ? 0 : UINT64_MAX;
}

/* A channel that is gone already is no trouble. */
static bool channel_open_handle(struct feed_common *f, struct feed_channel *c)
{
    enum ach_status r;
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, 1);
    ach_attr_set_map(&attr, c->map);
    r = ach_open(&c->chan, c->name, &attr);
    if (r != ACH_OK) {
        if (r != ACH_ENOENT)
            feed_channel_trouble(f, c, ach_errstr());
        return false;
    }
    r = ach_channel_info(&c->chan, &c->info);
    if (r == ACH_OK)
        return true;
    feed_channel_trouble(f, c, channel_why(c, r));
    ach_close(&c->chan);
    return false;
}

/* False after telling: other users have used up their share of a viewer's memory. */
static bool channel_admit(struct feed_common *f, struct feed_channel *c)
{
    const ach_channel_type_t *type;

    c->foreign = 0;
    if (!f->lazy || c->info.uid == 0 || c->info.uid == geteuid() ||
        ach_channel_type(&c->chan, &type) != ACH_OK)
        return true;
    if (type->schema_size > FOREIGN_MAX - f->foreign) {
        feed_channel_trouble(f, c, "the types of other users' channels are too large");
        ach_close(&c->chan);
        return false;
    }
    c->foreign = type->schema_size;
    f->foreign += c->foreign;
    return true;
}

bool feed_channel_open(struct feed_common *f, struct feed_channel *c, bool late)
{
    c->open = channel_open_handle(f, c) && channel_admit(f, c);
    late = late && !c->failed;
    c->failed = !c->open;
    if (!c->open)
        return false;
    c->told[0] = '\0';
    c->missed = 0;
    c->put = INT64_MIN;
    c->newest = c->jump = false;
    c->behind = 0;
    c->device = feed_device_new(c->name);
    c->learning = f->lazy && c->device;
    c->gone = channel_begin(f, c, late);
    c->state = FEED_ACTIVE;
    c->period = FEED_PERIOD_MIN;
    c->read = c->quiet = c->due = feed_clock_now(CLOCK_MONOTONIC);
    c->ask = c->asked = false;
    feed_delivery_topics(f, c);
    return true;
}

bool feed_channel_lost(const struct feed_channel *c)
{
    ach_info_t info;

    return ach_channel_info(&c->chan, &info) != ACH_OK || info.unlinked || info.replaced;
}

/* What was put and not read before the channel vanished is missed only if somebody wanted it. */
void feed_channel_close(struct feed_common *f, struct feed_channel *c)
{
    struct feed_outlet *t;

    if (!c->open)
        return;
    if (feed_channel_wanted(f, c) && c->state != FEED_DORMANT)
        channel_drain(f, c, f->lazy ? feed_clock_now(CLOCK_MONOTONIC) + DRAIN_NS : INT64_MAX);
    feed_wake_close(f, c);
    ach_close(&c->chan);
    f->foreign -= c->foreign;
    while ((t = c->outlets) != NULL) {
        c->outlets = t->next;
        feed_outlet_remove(&f->output, t, c->missed);
    }
    c->plain = NULL;
    c->table = NULL;
    feed_device_free(c->device);
    c->device = NULL;
    c->open = false;
    c->woken = false;
}

/* What came while nobody wanted it was not missed. */
void feed_channel_want(struct feed_common *f, struct feed_channel *c, struct feed_outlet *t,
                       bool want)
{
    const bool before = feed_channel_wanted(f, c);

    if (t->wanted == want)
        return;
    t->wanted = want;
    t->again = want && t->kept;
    c->ask = c->ask || (want && t->topic.keep && !t->kept);
    if (!want)
        return;
    if (!before) {
        ach_flush(&c->chan);
        c->newest = f->held;
        c->jump = false;
        c->behind = 0;
        c->gone = UINT64_MAX;
        c->quiet = feed_clock_now(CLOCK_MONOTONIC);
        c->state = FEED_ACTIVE;
        c->period = FEED_PERIOD_MIN;
    }
    c->due = 0;
}
