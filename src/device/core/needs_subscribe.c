/* SPDX-License-Identifier: BSD-3-Clause */
/* needs_subscribe.c - a driver subscribes to what it requires, before it is set up */
#include <ach.h>
#include <stdio.h>

#include "core.h"

static void answered(void *context, const ach_address_t *address, ach_status_t status,
                     const char *why)
{
    ach_driver_t *d = context;
    char text[ACH_ADDRESS_MAX];

    d->answered = true;
    d->answer = status;
    snprintf(d->why, sizeof(d->why), "%.60s, which it requires: %.290s",
             ach_address_text(address, text), why);
    pthread_cond_broadcast(&d->robot->changed);
}

static ach_status_t needs_subscribe_await(ach_driver_t *d, bool *said)
{
    ach_status_t status;

    pthread_mutex_lock(&d->robot->lock);
    while (!d->answered && !d->quit)
        pthread_cond_wait(&d->robot->changed, &d->robot->lock);
    *said = d->answered;
    status = d->answered ? d->answer : ACH_CANCELED;
    pthread_mutex_unlock(&d->robot->lock);
    return status;
}

static ach_status_t needs_subscribe_subscribe(ach_driver_t *d, struct dev_need *n)
{
    ach_status_t status;
    bool said;

    d->answered = false;
    status = ach_robot_subscribe(d->robot, &n->device->address, d->queue, answered, d);
    if (status != ACH_OK)
        return status;
    status = needs_subscribe_await(d, &said);
    n->subscribed = status == ACH_OK || !said;
    if (status != ACH_OK)
        ach_errstr_set(status, "%s", said ? d->why : "the robot is shutting down");
    return status;
}

ach_status_t dev_needs_subscribe(ach_driver_t *d)
{
    struct dev_need *n;

    for (n = d->needs; n; n = n->next) {
        ach_status_t status = needs_subscribe_subscribe(d, n);

        if (status != ACH_OK)
            return status;
    }
    return ACH_OK;
}

void dev_needs_unsubscribe(ach_driver_t *d)
{
    struct dev_need *n;

    for (n = d->needs; n; n = n->next) {
        if (n->subscribed)
            ach_robot_unsubscribe(d->robot, &n->device->address, d->queue);
        n->subscribed = false;
    }
}
