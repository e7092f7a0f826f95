/* SPDX-License-Identifier: BSD-3-Clause */
#include "feed.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "channel.h"
#include "delivery.h"
#include "discovery.h"
#include "filelimit.h"
#include "proxy.h"

/* Events of the epoll that one turn handles. */
#define EVENTS_MAX 64

/* No channel is read in a turn after this time, so that the caller can do other work. */
#define TURN_NS 4000000

struct feed {
    struct feed_common common;
    struct feed_discovery discovery;
    bool muted;   /* it is not asked for events before the next listing */
    bool begun;   /* the channels were listed once */
    bool looking; /* they were listed, and are looked at */
    size_t looked;
    int64_t spent; /* on that */
    char **patterns, **excluded;
    size_t npatterns, nexcluded;
    struct feed_channel **channels; /* in the order of names */
    size_t n;
    size_t next; /* the channel that is read first: in the last turn there was no time for it */
    struct feed_proxies *proxies;
};

/* An address of a device becomes the name of its data channel. */
static bool feed_add_pattern(struct feed *f, const char *pattern)
{
    char channel[ACH_CHAN_NAME_MAX];
    bool address = feed_device_channel(pattern, channel, sizeof(channel));

    f->patterns[f->npatterns] = strdup(address ? channel : pattern);
    if (!f->patterns[f->npatterns])
        return false;
    f->npatterns++;
    return !address || feed_proxies_add(f->proxies, pattern, channel);
}

static bool feed_copy_options(struct feed *f, const struct feed_options *o)
{
    size_t i;

    f->common.held = o->held;
    f->common.lazy = o->lazy;
    f->common.exact = o->exact;
    f->common.period = FEED_PERIOD_MAX;
    if (o->period && o->period < FEED_PERIOD_MAX)
        f->common.period = o->period > FEED_PERIOD_MIN ? (int64_t)o->period : FEED_PERIOD_MIN;
    f->patterns = calloc(o->npatterns + 1, sizeof(*f->patterns));
    if (!f->patterns)
        return false;
    for (i = 0; i < o->npatterns; i++)
        if (!feed_add_pattern(f, o->patterns[i]))
            return false;
    f->excluded = calloc(o->nexcluded + 1, sizeof(*f->excluded));
    for (i = 0; f->excluded && i < o->nexcluded; i++, f->nexcluded++)
        if (!(f->excluded[i] = strdup(o->excluded[i])))
            return false;
    return f->excluded;
}

static bool feed_watch(struct feed *f, int fd, void *what)
{
    struct epoll_event e = {.events = EPOLLIN, .data = {.ptr = what}};

    return epoll_ctl(f->common.epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

struct feed *feed_new(const struct feed_options *options, const struct feed_events *events,
                      void *context)
{
    struct feed *f = calloc(1, sizeof(*f));
    bool ok;

    if (!f)
        return NULL;
    ach_handle_sigbus();
    filelimit_raise(0);
    f->common.output.events = events;
    f->common.output.context = context;
    feed_discovery_init(&f->discovery);
    f->common.epoll = epoll_create1(EPOLL_CLOEXEC);
    f->proxies = feed_proxies_new();
    ok = f->common.epoll >= 0 && f->proxies && feed_copy_options(f, options) &&
         feed_watch(f, feed_proxies_fd(f->proxies), f->proxies) &&
         (f->discovery.fd < 0 || feed_watch(f, f->discovery.fd, &f->discovery));
    if (ok && feed_proxies_start(f->proxies))
        return f;
    feed_free(f);
    return NULL;
}

static void feed_drop(struct feed *f, size_t i)
{
    feed_channel_close(&f->common, f->channels[i]);
    feed_channel_free(f->channels[i]);
}

static void feed_free_patterns(char **patterns, size_t n)
{
    size_t i;

    for (i = 0; i < n; i++)
        free(patterns[i]);
    free(patterns);
}

void feed_free(struct feed *f)
{
    int saved = errno;
    size_t i;

    if (!f)
        return;
    feed_proxies_free(f->proxies);
    for (i = 0; i < f->n; i++)
        feed_drop(f, i);
    free(f->channels);
    feed_free_patterns(f->patterns, f->npatterns);
    feed_free_patterns(f->excluded, f->nexcluded);
    feed_discovery_finish(&f->discovery);
    if (f->common.epoll >= 0)
        close(f->common.epoll);
    feed_cdr_finish(&f->common.cdr);
    free(f->common.buffer);
    free(f);
    errno = saved;
}

static int feed_by_name(const void *a, const void *b)
{
    const struct feed_channel *x = *(struct feed_channel *const *)a,
                              *y = *(struct feed_channel *const *)b;
    int order = strcmp(x->name, y->name);

    return order ? order : (int)x->map - (int)y->map;
}

/* Among the first n. */
static struct feed_channel *feed_find(const struct feed *f, size_t n, const char *name,
                                      enum ach_map map)
{
    size_t low = 0, high = n, middle;
    int order;

    while (low < high) {
        middle = low + (high - low) / 2;
        order = strcmp(f->channels[middle]->name, name);
        if (!order)
            order = (int)f->channels[middle]->map - (int)map;
        if (!order)
            return f->channels[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool feed_match_any(char *const *patterns, size_t n, const char *name)
{
    size_t i;

    for (i = 0; i < n; i++)
        if (fnmatch(patterns[i], name, 0) == 0)
            return true;
    return false;
}

static bool feed_matches(const struct feed *f, const char *name)
{
    return (!f->npatterns || feed_match_any(f->patterns, f->npatterns, name)) &&
           !feed_match_any(f->excluded, f->nexcluded, name);
}

/* New channels are behind those that were known. */
struct feed_listing {
    struct feed *feed;
    size_t known;
};

static enum ach_status feed_list_one(void *context, const char *name, enum ach_map map)
{
    const struct feed_listing *l = context;
    struct feed *f = l->feed;
    struct feed_channel *c = feed_find(f, l->known, name, map), **more;

    if (!feed_matches(f, name))
        return ACH_OK;
    if (!c) {
        more = realloc(f->channels, (f->n + 1) * sizeof(*more));
        if (!more)
            return ACH_FAILED_SYSCALL;
        f->channels = more;
        c = feed_channel_new(name, map);
        if (!c)
            return ACH_FAILED_SYSCALL;
        c->suspect = true;
        f->channels[f->n++] = c;
    }
    c->listed = true;
    return ACH_OK;
}

static void feed_check(struct feed *f, struct feed_channel *c)
{
    if (!c->suspect)
        return;
    c->suspect = false;
    if (c->open && feed_channel_lost(c))
        feed_channel_close(&f->common, c);
    if (!c->open)
        feed_channel_open(&f->common, c, f->begun);
}

static void feed_drop_unlisted(struct feed *f)
{
    size_t i, kept = 0;

    for (i = 0; i < f->n; i++) {
        if (f->channels[i]->listed)
            f->channels[kept++] = f->channels[i];
        else
            feed_drop(f, i);
    }
    f->n = kept;
}

static void feed_suspect(void *context, const char *name, enum ach_map map)
{
    struct feed *f = context;
    struct feed_channel *c = name ? feed_find(f, f->n, name, map) : NULL;
    size_t i;

    if (c)
        c->suspect = true;
    for (i = 0; !name && i < f->n; i++)
        f->channels[i]->suspect = true;
}

/* While channels are not listed anyway, events wait, so that they wake nobody. */
static void feed_mute(struct feed *f, bool mute)
{
    struct epoll_event e = {.events = mute ? 0 : EPOLLIN, .data = {.ptr = &f->discovery}};

    if (f->discovery.fd >= 0 && f->muted != mute &&
        epoll_ctl(f->common.epoll, EPOLL_CTL_MOD, f->discovery.fd, &e) == 0)
        f->muted = mute;
}

static void feed_list(struct feed *f, int64_t now)
{
    struct feed_listing l = {.feed = f, .known = f->n};
    size_t i;

    if (f->muted)
        feed_discovery_read(&f->discovery, feed_suspect, f);
    feed_discovery_begin(&f->discovery, now);
    feed_mute(f, false);
    for (i = 0; i < f->n; i++) {
        f->channels[i]->listed = false;
        if (f->discovery.due != INT64_MAX) /* no event tells of changes */
            f->channels[i]->suspect = true;
    }
    if (ach_list(feed_list_one, &l) == ACH_OK)
        feed_drop_unlisted(f);
    if (f->n)
        qsort(f->channels, f->n, sizeof(*f->channels), feed_by_name);
    f->looking = true;
    f->looked = 0;
    f->spent = feed_clock_now(CLOCK_MONOTONIC) - now;
}

/* At as many as the time of a turn allows, but a recorder begins with all of them. */
static void feed_look(struct feed *f)
{
    const int64_t begin = feed_clock_now(CLOCK_MONOTONIC);
    const bool hasty = f->begun || f->common.lazy;
    int64_t now = begin;

    for (; f->looked < f->n && (!hasty || now - begin < TURN_NS); f->looked++) {
        feed_check(f, f->channels[f->looked]);
        now = feed_clock_now(CLOCK_MONOTONIC);
    }
    f->spent += now - begin;
    if (f->looked < f->n)
        return;
    feed_discovery_end(&f->discovery, now, f->spent);
    f->looking = false;
    f->begun = true;
}

static void feed_poll(struct feed *f)
{
    struct epoll_event events[EVENTS_MAX];
    int i, n = epoll_wait(f->common.epoll, events, EVENTS_MAX, 0);

    for (i = 0; i < n; i++) {
        void *what = events[i].data.ptr;

        if (what == &f->discovery) {
            feed_discovery_read(&f->discovery, feed_suspect, f);
            feed_mute(f, f->discovery.due != INT64_MAX);
        } else if (what != f->proxies) {
            ((struct feed_channel *)what)->woken = true;
        }
    }
}

/* Answers for a channel that is not there yet wait for it. */
static bool feed_proxy_result(void *context, const char *channel, struct feed_proxy_result *r)
{
    struct feed *f = context;
    struct feed_channel *c = feed_find(f, f->n, channel, ACH_MAP_USER);
    struct feed_delivery d = {.feed = &f->common, .channel = c};
    const struct feed_device_sink sink = feed_delivery_sink(&d);

    if (r->trouble[0] && c)
        feed_channel_trouble(&f->common, c, r->trouble);
    if (!c || !c->open || !c->device)
        return r->trouble[0] != '\0';
    d.message.got = d.message.put = feed_clock_now(CLOCK_REALTIME);
    if (r->answer)
        feed_device_answer(c->device, &sink, r->answer);
    if (r->map.cells)
        feed_device_grid(c->device, &sink, &r->map);
    return true;
}

/* Channels that are due soon are read, too, so that there are fewer turns. */
static bool feed_is_due(const struct feed_channel *c, int64_t now)
{
    return c->open && (c->woken || (c->due != INT64_MAX && c->due - c->period / 4 <= now));
}

static void feed_ask(struct feed *f, struct feed_channel *c)
{
    if (c->ask && c->device)
        feed_proxies_ask(f->proxies, feed_device_address(c->device), c->name);
    c->ask = false;
}

/* One after the other, each when it is due. */
static void feed_read(struct feed *f, int64_t now)
{
    size_t i;

    for (i = 0; i < f->n; i++, f->next++) {
        f->next = f->next < f->n ? f->next : 0;
        if (!feed_is_due(f->channels[f->next], now))
            continue;
        if (feed_clock_now(CLOCK_MONOTONIC) - now > TURN_NS)
            return;
        feed_channel_read(&f->common, f->channels[f->next]);
    }
}

void feed_turn(struct feed *f)
{
    int64_t now = feed_clock_now(CLOCK_MONOTONIC);
    size_t i;

    feed_poll(f);
    if (!f->looking && f->discovery.due <= now)
        feed_list(f, now);
    if (f->looking)
        feed_look(f);
    feed_proxies_take(f->proxies, feed_proxy_result, f);
    feed_read(f, feed_clock_now(CLOCK_MONOTONIC));
    for (i = 0; i < f->n; i++) {
        feed_ask(f, f->channels[i]);
        if (!f->looking && f->channels[i]->suspect && f->channels[i]->open)
            feed_discovery_soon(&f->discovery);
    }
}

int feed_fd(const struct feed *f)
{
    return f->common.epoll;
}

uint64_t feed_deadline(const struct feed *f)
{
    int64_t due = f->discovery.due;
    size_t i;

    if (f->looking)
        return 0;
    for (i = 0; i < f->n; i++)
        if (f->channels[i]->open && f->channels[i]->due < due)
            due = f->channels[i]->due;
    if (due == INT64_MAX)
        return UINT64_MAX;
    return due < 0 ? 0 : (uint64_t)due;
}

bool feed_found(const struct feed *f, size_t pattern)
{
    size_t i;

    for (i = 0; i < f->n; i++)
        if (fnmatch(f->patterns[pattern], f->channels[i]->name, 0) == 0)
            return true;
    return false;
}

void feed_want(struct feed *f, struct feed_topic *topic, bool want)
{
    struct feed_outlet *t = (struct feed_outlet *)topic;

    if (f->common.lazy)
        feed_channel_want(&f->common, t->channel, t, want);
}

uint64_t feed_got(const struct feed *f)
{
    return f->common.output.got;
}

uint64_t feed_missed(const struct feed *f)
{
    return f->common.output.missed;
}
