/* SPDX-License-Identifier: BSD-3-Clause */
/* channel_wait.c - calls of libach that may wait: ach_get, ach_view, ach_wait */
#include "handle.h"

/* The arguments of an ach_get, or of an ach_view if place is not NULL. */
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

/* libach checks for an unlinked channel only before it sleeps, so check here. */
static bool name_is_gone(const ach_channel_t *chan)
{
    ach_info_t info;
    enum ach_status r;

    simp_guard();
    r = REAL(ach_channel_info)(chan, &info);
    simp_unguard();
    return r == ACH_OK && info.unlinked;
}

/* For calls that do not wait. */
static void call_at_once(struct get *g, const struct timespec *timeout, int options)
{
    simp_guard();
    call(g, timeout, options);
    simp_unguard();
}

static bool channel_wait_look(void *cx)
{
    struct get *g = cx;

    call_at_once(g, NULL, g->options & ~(ACH_O_WAIT | ACH_O_RELTIME | ACH_O_COPY | ACH_O_LINKED));
    if (g->r == ACH_EAGAIN && (g->options & ACH_O_LINKED) && name_is_gone(g->chan))
        g->r = ACH_ENOENT;
    return g->r != ACH_EAGAIN;
}

/* No timeout, a duration, or a point in time with valid nanoseconds. */
static bool channel_wait_valid(const struct timespec *t, int options)
{
    return !t || options & ACH_O_RELTIME || (t->tv_nsec >= 0 && t->tv_nsec < NS_PER_S);
}

static int64_t until(const struct timespec *timeout, clockid_t clock, int options)
{
    if (!timeout)
        return SIM_NEVER;
    return options & ACH_O_RELTIME ? simp_after(simc_now(), simp_ns(timeout))
                                   : simp_clock_point(clock, timeout);
}

/*
 * Declared costs: an answer of a device that arrives in zero virtual time belongs to the cycle of
 * its request. Else the start of a program, which opens its devices, would be charged repeatedly.
 */
static void block(struct get *g, struct simp_events *e, int64_t end)
{
    int64_t before = simc_now();
    bool spent = simc_spent();

    if (!simp_block(end, e, channel_wait_look, g))
        g->r = ACH_TIMEOUT;
    else if (simp_handle_answers(g->chan) && simc_now() == before)
        simc_set_spent(spent);
}

static enum ach_status get(struct get *g)
{
    struct simp_events e = {0};
    clockid_t clock;

    if (!(g->options & ACH_O_WAIT)) {
        simc_act();
        call_at_once(g, g->timeout, g->options);
    } else if (!channel_wait_valid(g->timeout, g->options)) {
        call_at_once(g, g->timeout, g->options); /* a message, or an error */
    } else if (REAL(ach_channel_clock)(g->chan, &clock) != ACH_OK || !simp_clock_virtual(clock)) {
        call(g, g->timeout, g->options); /* an error, or a clock that is not virtual */
    } else {
        simp_events_add(&e, simp_handle_event(g->chan));
        if (g->options & ACH_O_LINKED)
            simp_events_add(&e, SIM_EVENT_POLL);
        block(g, &e, until(g->timeout, clock, g->options));
    }
    simp_handle_moved(g->chan);
    return g->r;
}

EXPORT enum ach_status ach_get(ach_channel_t *chan, void *buf, size_t size, size_t *frame_size,
                               const struct timespec *timeout, int options)
{
    /* cppcheck-suppress ctuuninitvar */
    struct get g = {chan, buf, size, NULL, frame_size, timeout, options, ACH_OK};

    if (!simc_free() || !chan || !chan->priv)
        return REAL(ach_get)(chan, buf, size, frame_size, timeout, options);
    return get(&g);
}

EXPORT enum ach_status ach_view(ach_channel_t *chan, const void **ptr, size_t *size,
                                const struct timespec *timeout, int options)
{
    struct get g = {chan, NULL, 0, ptr, size, timeout, options, ACH_OK};

    if (!simc_free() || !chan || !chan->priv || !size || !ptr)
        return REAL(ach_view)(chan, ptr, size, timeout, options);
    return get(&g);
}

struct channel_wait_waiting {
    ach_wait_item_t *items;
    size_t n;
    int options;
    enum ach_status r;
};

static bool look_at_all(void *cx)
{
    static const struct timespec at_once;
    struct channel_wait_waiting *w = cx;

    simp_guard();
    w->r = REAL(ach_wait)(w->items, w->n, &at_once, w->options | ACH_O_RELTIME);
    simp_unguard();
    return w->r != ACH_TIMEOUT;
}

EXPORT enum ach_status ach_wait(ach_wait_item_t *items, size_t n, const struct timespec *timeout,
                                int options)
{
    struct channel_wait_waiting w = {items, n, options & ~ACH_O_INTERRUPT, ACH_OK};
    struct simp_events e = {.signals = options & ACH_O_INTERRUPT ? SIMP_ENDS : SIMP_GOES_ON};
    size_t i;

    if (!simc_free() || !items || n == 0 || n > ACH_WAIT_MAX ||
        !channel_wait_valid(timeout, options))
        return REAL(ach_wait)(items, n, timeout, options);
    for (i = 0; i < n; i++) {
        if (!items[i].chan || !items[i].chan->priv)
            return REAL(ach_wait)(items, n, timeout, options);
        simp_events_add(&e, simp_handle_event(items[i].chan));
    }
    if (options & ACH_O_LINKED)
        simp_events_add(&e, SIM_EVENT_POLL);
    simp_block(until(timeout, CLOCK_MONOTONIC, options), &e, look_at_all, &w);
    return e.interrupted ? ACH_EINTR : w.r;
}
