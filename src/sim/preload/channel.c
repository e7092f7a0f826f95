/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - calls of libach that do not wait: each touches the world at the caller's time */
#include "handle.h"

#define LOCK_LIMIT NS_PER_S /* what libach waits for another writer */

/* Somebody else's handle, or one that is not open, is left to libach. */
static bool ours(const ach_channel_t *chan)
{
    return chan && chan->priv && achi_sim_free();
}

EXPORT enum ach_status ach_create(const char *name, size_t count, size_t size,
                                  ach_create_attr_t *attr)
{
    enum ach_status r;

    if (!achi_sim_free())
        return REAL(ach_create)(name, count, size, attr);
    achi_sim_act();
    achi_sim_critical();
    achi_guard();
    r = REAL(ach_create)(name, count, size, attr);
    achi_unguard();
    if (r == ACH_OK && attr && attr->map != ACH_MAP_ANON && attr->truncate)
        achi_sim_post(achi_event_channel(name)); /* it may have taken another one's place */
    achi_sim_uncritical();
    return r;
}

EXPORT enum ach_status ach_open(ach_channel_t *chan, const char *name, ach_attr_t *attr)
{
    enum ach_status r;

    if (achi_sim_free())
        achi_sim_act();
    achi_guard();
    r = REAL(ach_open)(chan, name, attr);
    achi_unguard();
    if (r == ACH_OK && achi_sim_active())
        achi_handle_add(chan, attr && attr->map == ACH_MAP_ANON ? NULL : name);
    return r;
}

EXPORT enum ach_status ach_close(ach_channel_t *chan)
{
    enum ach_status r;

    if (chan && chan->priv && achi_sim_active())
        achi_handle_remove(chan);
    achi_guard();
    r = REAL(ach_close)(chan);
    achi_unguard();
    return r;
}

EXPORT enum ach_status ach_unlink(const char *name)
{
    enum ach_status r;

    if (!achi_sim_free())
        return REAL(ach_unlink)(name);
    achi_sim_act();
    achi_sim_critical();
    achi_guard();
    r = REAL(ach_unlink)(name);
    achi_unguard();
    if (r == ACH_OK)
        achi_sim_post(achi_event_channel(name));
    achi_sim_uncritical();
    return r;
}

/*
 * Another writer was stopped in the midst of its put, and ends it when it comes to its turn: wait
 * for that in virtual time. True: try again.
 */
static bool after_other_writer(const ach_channel_t *chan, int64_t *until, uint64_t since)
{
    struct achi_events e = {0};
    bool timed;

    if (!*until)
        *until = achi_after(achi_sim_now(), LOCK_LIMIT);
    achi_events_add(&e, achi_handle_event(chan));
    achi_events_add(&e, ACHI_EVENT_POLL);
    achi_sim_wait(*until, e.at, e.n, since, &timed);
    achi_sim_act();
    return !timed;
}

EXPORT enum ach_status ach_put(ach_channel_t *chan, const void *buf, size_t size)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!ours(chan))
        return REAL(ach_put)(chan, buf, size);
    achi_sim_charge();
    achi_sim_act();
    achi_sim_critical();
    do {
        since = achi_sim_posts();
        achi_guard();
        r = REAL(ach_put)(chan, buf, size);
        achi_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    if (r == ACH_OK)
        achi_sim_post(achi_handle_event(chan));
    achi_sim_uncritical();
    return r;
}

EXPORT enum ach_status ach_reserve(ach_channel_t *chan, size_t size, void **place)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!ours(chan))
        return REAL(ach_reserve)(chan, size, place);
    achi_sim_charge();
    achi_sim_act();
    do {
        since = achi_sim_posts();
        achi_guard();
        r = REAL(ach_reserve)(chan, size, place);
        achi_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    return r;
}

EXPORT enum ach_status ach_commit(ach_channel_t *chan, size_t size)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!ours(chan))
        return REAL(ach_commit)(chan, size);
    achi_sim_charge();
    achi_sim_act();
    achi_sim_critical();
    do {
        since = achi_sim_posts();
        achi_guard();
        r = REAL(ach_commit)(chan, size);
        achi_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    if (r == ACH_OK)
        achi_sim_post(achi_handle_event(chan));
    achi_sim_uncritical();
    return r;
}

EXPORT enum ach_status ach_flush(ach_channel_t *chan)
{
    enum ach_status r;

    if (!ours(chan))
        return REAL(ach_flush)(chan);
    achi_sim_act();
    achi_guard();
    r = REAL(ach_flush)(chan);
    achi_unguard();
    achi_handle_moved(chan);
    return r;
}

EXPORT enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr)
{
    enum ach_status r;

    if (!ours(chan)) {
        r = REAL(ach_cancel)(chan, attr);
        achi_sim_nudge();
        return r;
    }
    achi_sim_act();
    achi_sim_critical();
    achi_guard();
    r = REAL(ach_cancel)(chan, attr);
    achi_unguard();
    if (r == ACH_OK)
        achi_sim_post(achi_handle_event(chan));
    achi_sim_uncritical();
    return r;
}

EXPORT enum ach_status ach_channel_info(const ach_channel_t *chan, ach_info_t *info)
{
    enum ach_status r;

    if (ours(chan))
        achi_sim_act();
    achi_guard();
    r = REAL(ach_channel_info)(chan, info);
    achi_unguard();
    return r;
}

EXPORT enum ach_status ach_chmod(ach_channel_t *chan, mode_t mode)
{
    enum ach_status r;

    if (ours(chan))
        achi_sim_act();
    achi_guard();
    r = REAL(ach_chmod)(chan, mode);
    achi_unguard();
    return r;
}
