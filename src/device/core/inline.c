/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * inline.c - drivers whose process callback runs in the thread that delivers
 *
 * Messages go through the driver's queue here too. The thread that pushed one pops and
 * handles all messages in the queue. If another thread does that already, it handles
 * the new message before it leaves. So no thread ever waits for a process callback,
 * which may deliver to a driver that delivers back.
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

static void inline_leave(ach_driver_t *d)
{
    ach_robot_t *r = d->robot;

    pthread_mutex_lock(&d->inlined);
    __atomic_store_n(&d->busy, false, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&d->left);
    pthread_mutex_unlock(&d->inlined);
    if (__atomic_load_n(&r->settling, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&r->time_lock);
        dev_robot_rested(r);
        pthread_mutex_unlock(&r->time_lock);
    }
}

/* Check again after leaving: a thread that pushed while we were busy relies on us. */
void dev_inline_attend(ach_driver_t *d)
{
    ach_message_t *m;

    while (ach_queue_length(d->queue) && enter(d)) {
        while ((m = ach_queue_pop(d->queue)))
            dev_driver_take(d, m);
        inline_leave(d);
    }
}

void dev_inline_attend_all(const struct dev_device *device)
{
    const struct dev_need *n;
    ach_driver_t *d;

    if (!device->inlined)
        return;
    for (d = device->driver->robot->drivers; d; d = d->next) {
        for (n = d->needs; n && n->device != device; n = n->next)
            ;
        if (n && dev_driver_inline(d))
            dev_inline_attend(d);
    }
}

/*
 * From now on other threads call process. Handle the data that arrived during setup before any
 * subscription is confirmed: otherwise this thread could take a subscriber's first command.
 */
void dev_inline_open(ach_driver_t *d)
{
    pthread_mutex_lock(&d->inlined);
    d->open = true;
    pthread_mutex_unlock(&d->inlined);
    dev_inline_attend(d);
}

void dev_inline_close(ach_driver_t *d)
{
    pthread_mutex_lock(&d->inlined);
    d->open = false;
    while (d->busy)
        pthread_cond_wait(&d->left, &d->inlined);
    pthread_mutex_unlock(&d->inlined);
}

/* Check the queue first: a thread is busy before it pops the last message. */
bool dev_inline_idle(const ach_driver_t *d)
{
    return ach_queue_length(d->queue) == 0 && !__atomic_load_n(&d->busy, __ATOMIC_SEQ_CST);
}
