/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.c - calls of libach that do not wait: each touches the world at the caller's time */
#include "handle.h"

#define LOCK_LIMIT NS_PER_S /* as long as libach waits for another writer */

/* Is the handle open, and the call not one made from inside the library? Else libach handles it. */
static bool channel_ours(const ach_channel_t *chan)
{
    return chan && chan->priv && simc_free();
}

EXPORT enum ach_status ach_create(const char *name, size_t count, size_t size,
                                  ach_create_attr_t *attr)
{
    enum ach_status r;

    if (!simc_free())
        return REAL(ach_create)(name, count, size, attr);
    simc_act();
    simc_critical();
    simp_guard();
    r = REAL(ach_create)(name, count, size, attr);
    simp_unguard();
    if (r == ACH_OK && attr && attr->map != ACH_MAP_ANON && attr->truncate)
        simc_post(simc_event_channel(name)); /* it may have taken another one's place */
    simc_uncritical();
    return r;
}

EXPORT enum ach_status ach_open(ach_channel_t *chan, const char *name, ach_attr_t *attr)
{
    enum ach_status r;

    if (simc_free())
        simc_act();
    simp_guard();
    r = REAL(ach_open)(chan, name, attr);
    simp_unguard();
    if (r == ACH_OK && simc_active())
        simp_handle_add(chan, attr && attr->map == ACH_MAP_ANON ? NULL : name);
    return r;
}

EXPORT enum ach_status ach_close(ach_channel_t *chan)
{
    enum ach_status r;

    if (chan && chan->priv && simc_active())
        simp_handle_remove(chan);
    simp_guard();
    r = REAL(ach_close)(chan);
    simp_unguard();
    return r;
}

EXPORT enum ach_status ach_unlink(const char *name)
{
    enum ach_status r;

    if (!simc_free())
        return REAL(ach_unlink)(name);
    simc_act();
    simc_critical();
    simp_guard();
    r = REAL(ach_unlink)(name);
    simp_unguard();
    if (r == ACH_OK)
        simc_post(simc_event_channel(name));
    simc_uncritical();
    return r;
}

/*
 * Another writer was stopped during its put and completes it at its next turn: wait for that in
 * virtual time. True: try again. False: LOCK_LIMIT has passed.
 */
static bool after_other_writer(const ach_channel_t *chan, int64_t *until, uint64_t since)
{
    struct simp_events e = {0};
    bool timed;

    if (!*until)
        *until = simp_after(simc_now(), LOCK_LIMIT);
    simp_events_add(&e, simp_handle_event(chan));
    simp_events_add(&e, SIM_EVENT_POLL);
    simc_wait(*until, e.at, e.n, since, &timed);
    simc_act();
    return !timed;
}

EXPORT enum ach_status ach_put(ach_channel_t *chan, const void *buf, size_t size)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!channel_ours(chan))
        return REAL(ach_put)(chan, buf, size);
    simc_charge();
    simc_act();
    simc_critical();
    do {
        since = simc_posts();
        simp_guard();
        r = REAL(ach_put)(chan, buf, size);
        simp_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    if (r == ACH_OK)
        simc_post(simp_handle_event(chan));
    simc_uncritical();
    return r;
}

EXPORT enum ach_status ach_reserve(ach_channel_t *chan, size_t size, void **place)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!channel_ours(chan))
        return REAL(ach_reserve)(chan, size, place);
    simc_charge();
    simc_act();
    do {
        since = simc_posts();
        simp_guard();
        r = REAL(ach_reserve)(chan, size, place);
        simp_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    return r;
}

EXPORT enum ach_status ach_commit(ach_channel_t *chan, size_t size)
{
    enum ach_status r;
    int64_t until = 0;
    uint64_t since;

    if (!channel_ours(chan))
        return REAL(ach_commit)(chan, size);
    simc_charge();
    simc_act();
    simc_critical();
    do {
        since = simc_posts();
        simp_guard();
        r = REAL(ach_commit)(chan, size);
        simp_unguard();
    } while (r == ACH_LOCKED && after_other_writer(chan, &until, since));
    if (r == ACH_OK)
        simc_post(simp_handle_event(chan));
    simc_uncritical();
    return r;
}

EXPORT enum ach_status ach_flush(ach_channel_t *chan)
{
    enum ach_status r;

    if (!channel_ours(chan))
        return REAL(ach_flush)(chan);
    simc_act();
    simp_guard();
    r = REAL(ach_flush)(chan);
    simp_unguard();
    simp_handle_moved(chan);
    return r;
}

EXPORT enum ach_status ach_cancel(ach_channel_t *chan, const ach_cancel_attr_t *attr)
{
    enum ach_status r;

    if (!channel_ours(chan)) {
        r = REAL(ach_cancel)(chan, attr);
        simc_nudge();
        return r;
    }
    simc_act();
    simc_critical();
    simp_guard();
    r = REAL(ach_cancel)(chan, attr);
    simp_unguard();
    if (r == ACH_OK)
        simc_post(simp_handle_event(chan));
    simc_uncritical();
    return r;
}

EXPORT enum ach_status ach_channel_info(const ach_channel_t *chan, ach_info_t *info)
{
    enum ach_status r;

    if (channel_ours(chan))
        simc_act();
    simp_guard();
    r = REAL(ach_channel_info)(chan, info);
    simp_unguard();
    return r;
}

EXPORT enum ach_status ach_chmod(ach_channel_t *chan, mode_t mode)
{
    enum ach_status r;

    if (channel_ours(chan))
        simc_act();
    simp_guard();
    r = REAL(ach_chmod)(chan, mode);
    simp_unguard();
    return r;
}
