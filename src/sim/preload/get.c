/* SPDX-License-Identifier: BSD-3-Clause */
/* get.c - calls of libach that may wait: ach_get, ach_view, ach_wait */
#include "handle.h"

/* A get or a view, by arguments; place: it is a view. */
struct get {
    ach_channel_t *chan;
    void *buf;
    size_t buf_size;
    const void **place;
    size_t *size;
    const struct timespec *timeout;
    int options;
    enum ach_status r;
};

static void call(struct get *g, const struct timespec *timeout, int options)
{
    if (g->place)
        g->r = REAL(ach_view)(g->chan, g->place, g->size, timeout, options);
    else
        g->r = REAL(ach_get)(g->chan, g->buf, g->buf_size, g->size, timeout, options);
}

/* libach looks whether the channel has its name only before it sleeps. */
static bool name_is_gone(const ach_channel_t *chan)
{
    ach_info_t info;
    enum ach_status r;

    achi_guard();
    r = REAL(ach_channel_info)(chan, &info);
    achi_unguard();
    return r == ACH_OK && info.unlinked;
}

/* It does not wait. */
static void call_at_once(struct get *g, const struct timespec *timeout, int options)
{
    achi_guard();
    call(g, timeout, options);
    achi_unguard();
}

static bool look(void *cx)
{
    struct get *g = cx;

    call_at_once(g, NULL, g->options & ~(ACH_O_WAIT | ACH_O_RELTIME | ACH_O_COPY | ACH_O_LINKED));
    if (g->r == ACH_EAGAIN && (g->options & ACH_O_LINKED) && name_is_gone(g->chan))
        g->r = ACH_ENOENT;
    return g->r != ACH_EAGAIN;
}

static bool valid(const struct timespec *t)
{
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S;
}

static int64_t until(const struct timespec *timeout, clockid_t clock, int options)
{
    if (!timeout)
        return ACHI_SIM_NEVER;
    return options & ACH_O_RELTIME ? achi_after(achi_sim_now(), achi_ns(timeout))
                                   : achi_clock_point(clock, timeout);
}

/*
 * Declared costs: an answer that a device gives at once, in no time, belongs to the cycle of its
 * request. Else the start of a program, which opens its devices, would be charged several times.
 */
static void block(struct get *g, struct achi_events *e, int64_t end)
{
    int64_t before = achi_sim_now();
    bool spent = achi_sim_spent();

    if (!achi_block(end, e, look, g))
        g->r = ACH_TIMEOUT;
    else if (achi_handle_answers(g->chan) && achi_sim_now() == before)
        achi_sim_set_spent(spent);
}

static enum ach_status get(struct get *g)
{
    struct achi_events e = {0};
    clockid_t clock;

    if (!(g->options & ACH_O_WAIT)) {
        achi_sim_act();
        call_at_once(g, g->timeout, g->options);
    } else if ((g->timeout && !valid(g->timeout)) ||
               REAL(ach_channel_clock)(g->chan, &clock) != ACH_OK || !achi_clock_virtual(clock)) {
        call(g, g->timeout, g->options); /* an error, or a clock that nobody simulates */
    } else {
        achi_events_add(&e, achi_handle_event(g->chan));
        if (g->options & ACH_O_LINKED)
            achi_events_add(&e, ACHI_EVENT_POLL);
        block(g, &e, until(g->timeout, clock, g->options));
    }
    achi_handle_moved(g->chan);
    return g->r;
}

EXPORT enum ach_status ach_get(ach_channel_t *chan, void *buf, size_t size, size_t *frame_size,
                               const struct timespec *timeout, int options)
{
    /* cppcheck-suppress ctuuninitvar */
    struct get g = {chan, buf, size, NULL, frame_size, timeout, options, ACH_OK};

    if (!achi_sim_free() || !chan || !chan->priv || !frame_size)
        return REAL(ach_get)(chan, buf, size, frame_size, timeout, options);
    return get(&g);
}

EXPORT enum ach_status ach_view(ach_channel_t *chan, const void **ptr, size_t *size,
                                const struct timespec *timeout, int options)
{
    struct get g = {chan, NULL, 0, ptr, size, timeout, options, ACH_OK};

    if (!achi_sim_free() || !chan || !chan->priv || !size || !ptr)
        return REAL(ach_view)(chan, ptr, size, timeout, options);
    return get(&g);
}

struct waiting {
    ach_wait_item_t *items;
    size_t n;
    int options;
    enum ach_status r;
};

static bool look_at_all(void *cx)
{
    static const struct timespec at_once;
    struct waiting *w = cx;

    achi_guard();
    w->r = REAL(ach_wait)(w->items, w->n, &at_once, w->options | ACH_O_RELTIME);
    achi_unguard();
    return w->r != ACH_TIMEOUT;
}

EXPORT enum ach_status ach_wait(ach_wait_item_t *items, size_t n, const struct timespec *timeout,
                                int options)
{
    struct waiting w = {items, n, options, ACH_OK};
    struct achi_events e = {0};
    size_t i;

    if (!achi_sim_free() || !items || n == 0 || n > ACH_WAIT_MAX || (timeout && !valid(timeout)))
        return REAL(ach_wait)(items, n, timeout, options);
    for (i = 0; i < n; i++) {
        if (!items[i].chan || !items[i].chan->priv)
            return REAL(ach_wait)(items, n, timeout, options);
        achi_events_add(&e, achi_handle_event(items[i].chan));
    }
    if (options & ACH_O_LINKED)
        achi_events_add(&e, ACHI_EVENT_POLL);
    achi_block(until(timeout, CLOCK_MONOTONIC, options), &e, look_at_all, &w);
    return w.r;
}
