/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - a driver's thread: it begins with the first subscription, and ends with the robot */
#include <ach.h>
#include <string.h>

#include "core.h"

ach_status_t dev_driver_begin(ach_driver_t *d)
{
    int error;

    if (d->quit)
        return ach_errstr_set(ACH_CANCELED, "the robot is shutting down");
    if (d->threaded)
        return ACH_OK;
    error = pthread_create(&d->thread, NULL, d->life, d);
    if (error)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for driver %s: %s", d->class->name,
                              strerror(error));
    d->threaded = true;
    return ACH_OK;
}

void dev_driver_stop(ach_driver_t *d)
{
    __atomic_store_n(&d->stop, true, __ATOMIC_RELEASE);
    dev_driver_wake(d);
    pthread_cond_broadcast(&d->robot->changed);
}

void dev_driver_quit(ach_driver_t *d)
{
    pthread_mutex_lock(&d->robot->lock);
    d->quit = true;
    dev_driver_stop(d);
    pthread_mutex_unlock(&d->robot->lock);
    if (d->threaded)
        pthread_join(d->thread, NULL);
    d->threaded = false;
}
