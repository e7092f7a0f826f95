/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline.c - drivers whose process runs in the thread that delivers
 *
 * Messages go through the driver's queue here too. Who has put one there takes all
 * out that are in it, unless somebody does that already: then he goes on with the
 * new one before he leaves. So nobody ever waits for a process, which may deliver to
 * a driver that delivers back.
 */
#include "core.h"

static bool enter(ach_driver_t *d)
{
    bool may;

    pthread_mutex_lock(&d->inlined);
    may = d->open && !d->busy;
    if (may)
        __atomic_store_n(&d->busy, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&d->inlined);
    return may;
}

static void leave(ach_driver_t *d)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&d->inlined);
    __atomic_store_n(&d->busy, false, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&d->left);
    pthread_mutex_unlock(&d->inlined);
    if (__atomic_load_n(&r->settling, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&r->time_lock);
        achi_robot_rested(r);
        pthread_mutex_unlock(&r->time_lock);
    }
}

/* What came while we left, and found us still there, is ours. */
void achi_inline_attend(ach_driver_t *d)
{
    ach_message_t *m;

    while (ach_queue_length(d->queue) && enter(d)) {
        while ((m = ach_queue_pop(d->queue)))
            achi_driver_take(d, m);
        leave(d);
    }
}

void achi_inline_attend_all(const struct achi_device *device)
{
    const struct achi_need *n;
    ach_driver_t *d;

    if (!device->inlined)
        return;
    for (d = device->driver->robot->drivers; d; d = d->next) {
        for (n = d->needs; n && n->device != device; n = n->next)
            ;
        if (n && achi_driver_inline(d))
            achi_inline_attend(d);
    }
}

void achi_inline_open(ach_driver_t *d)
{
    pthread_mutex_lock(&d->inlined);
    d->open = true;
    pthread_mutex_unlock(&d->inlined);
}

void achi_inline_close(ach_driver_t *d)
{
    pthread_mutex_lock(&d->inlined);
    d->open = false;
    while (d->busy)
        pthread_cond_wait(&d->left, &d->inlined);
    pthread_mutex_unlock(&d->inlined);
}

/* In this order: who takes the last one out is busy before. */
bool achi_inline_idle(const ach_driver_t *d)
{
    return ach_queue_length(d->queue) == 0 && !__atomic_load_n(&d->busy, __ATOMIC_SEQ_CST);
}
