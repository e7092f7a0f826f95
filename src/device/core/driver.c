/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.c - the life of a driver
 *
 * The driver's thread waits for a subscription, sets the driver up, runs it while
 * there are subscriptions, and shuts it down.
 */
#include <ach.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "core.h"
#include "message.h"
#include "queue.h"

/* Hardware that fails is tried again after this many seconds, then twice that, and so on. */
#define RETRY_FIRST 0.5
#define RETRY_LAST 8.0

static void *live(void *driver);

static void driver_wake(void *driver)
{
    dev_driver_wake(driver);
}

static void attend(void *driver)
{
    dev_inline_attend(driver);
}

static ach_driver_t *allocate(ach_robot_t *robot, const ach_driver_class_t *class,
                              ach_section_t *options)
{
    ach_driver_t *d = calloc(1, sizeof(*d)), **end = &robot->drivers;

    if (!d)
        return NULL;
    d->robot = robot;
    d->class = class;
    d->options = options;
    d->life = live;
    d->wake_at = INFINITY;
    pthread_mutex_init(&d->values, NULL);
    pthread_mutex_init(&d->inlined, NULL);
    pthread_cond_init(&d->left, NULL);
    d->eventfd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    while (*end)
        end = &(*end)->next;
    *end = d;
    return d;
}

/* A driver whose create fails stays in the robot's list, which is destroyed as a whole. */
ach_status_t dev_driver_create(ach_robot_t *robot, const ach_driver_class_t *class,
                               ach_section_t *options, ach_driver_t **driver)
{
    ach_driver_t *d = allocate(robot, class, options);
    ach_status_t status;

    if (!d || d->eventfd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "driver %s: %s", class->name, strerror(errno));
    status = ach_queue_create(0, 0, dev_driver_inline(d) ? NULL : driver_wake, d, &d->queue);
    if (status != ACH_OK)
        return status;
    if (dev_driver_inline(d))
        dev_queue_attended(d->queue, attend, d);
    status = class->create(d, options, &d->state);
    d->created = status == ACH_OK;
    *driver = d;
    return status;
}

void dev_driver_destroy(ach_driver_t *d)
{
    if (d->created && d->class->destroy)
        d->class->destroy(d, d->state);
    while (d->needs) {
        struct dev_need *n = d->needs;

        d->needs = n->next;
        free(n);
    }
    ach_queue_close(d->keeper);
    ach_queue_close(d->queue);
    if (d->eventfd >= 0)
        close(d->eventfd);
    dev_properties_destroy(d);
    free(d->route);
    free(d->own_class);
    pthread_mutex_destroy(&d->values);
    pthread_mutex_destroy(&d->inlined);
    pthread_cond_destroy(&d->left);
    free(d);
}

static void set_phase(ach_driver_t *d, enum dev_phase phase)
{
    __atomic_store_n(&d->phase, phase, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&d->robot->changed);
    pthread_mutex_lock(&d->robot->time_lock);
    dev_robot_rested(d->robot);
    pthread_mutex_unlock(&d->robot->time_lock);
}

/* Discard unhandled messages: the next run must not see them. Requests but a flush get a NACK. */
static void drain(ach_driver_t *d)
{
    unsigned commands = 0;
    ach_message_t *m;

    while ((m = ach_queue_pop(d->queue))) {
        commands += ach_message_header(m)->type == ACH_MSG_CMD;
        dev_message_settle(m, "its driver has stopped");
        if (dev_message_is_flush(m))
            dev_driver_answer_flush(d, m);
        ach_message_unref(m);
    }
    if (commands)
        ach_robot_log(d->robot, ACH_LOG_WARNING,
                      "driver %s has stopped, and %u command%s it had not handled %s lost",
                      d->class->name, commands, commands == 1 ? "" : "s",
                      commands == 1 ? "is" : "are");
}

static ach_status_t set_up(ach_driver_t *d)
{
    ach_status_t status = dev_needs_subscribe(d);

    if (status == ACH_OK && d->class->setup) {
        ach_errstr_set(ACH_OK, "%s", "");
        status = d->class->setup(d, d->state);
        if (status != ACH_OK && !*ach_errstr())
            ach_errstr_set(status, "its setup failed (%s)", ach_result_to_string(status));
    }
    if (status != ACH_OK) {
        dev_needs_unsubscribe(d);
        drain(d);
    }
    return status;
}

static void shut_down(ach_driver_t *d)
{
    if (d->class->shutdown)
        d->class->shutdown(d, d->state);
    dev_needs_unsubscribe(d);
    drain(d);
}

static bool wanted(const ach_driver_t *d)
{
    return d->subscriptions > 0 && !d->quit;
}

/*
 * The driver subscribes to its required devices with the route of its first pending subscription.
 * A remote device is only a link, and adds nothing to the route.
 */
static void set_route(ach_driver_t *d)
{
    const struct dev_pending *p = d->pending;
    const char *before = p && p->route ? p->route : "";

    if (p && p->device->remote) {
        free(d->route);
        d->route = strdup(before);
    } else if (p) {
        dev_route_add(p->device, before, &d->route);
    }
    ach_route_set(d->route);
}

/* True: ach_robot_start will return the error, so it is not logged here. */
static bool told_elsewhere(const ach_driver_t *d)
{
    return d->robot->attr.strict && d->keeper && !d->kept;
}

/* Called and returns with robot->lock held; setup runs without it. */
static ach_status_t start(ach_driver_t *d)
{
    bool silent = told_elsewhere(d);
    ach_status_t status;

    __atomic_store_n(&d->stop, false, __ATOMIC_RELEASE);
    dev_driver_follow(d, false);
    set_route(d);
    set_phase(d, DEV_STARTING);
    pthread_mutex_unlock(&d->robot->lock);
    status = set_up(d);
    if (status == ACH_OK && dev_driver_inline(d))
        dev_inline_open(d);
    if (status != ACH_OK && status != ACH_CANCELED && !silent)
        ach_robot_log(d->robot, ACH_LOG_ERROR, "driver %s cannot be set up: %s", d->class->name,
                      ach_errstr());
    pthread_mutex_lock(&d->robot->lock);
    return status;
}

/* Other threads call process until stop is set. */
static void stand_by(ach_driver_t *d)
{
    pthread_mutex_lock(&d->robot->lock);
    while (!d->stop)
        pthread_cond_wait(&d->robot->changed, &d->robot->lock);
    pthread_mutex_unlock(&d->robot->lock);
    dev_inline_close(d);
    dev_driver_process(d); /* a message whose sender found the driver closed */
}

/* Run until the driver is to stop, or main returns by itself. */
static void work(ach_driver_t *d)
{
    if (dev_driver_inline(d))
        stand_by(d);
    else if (d->class->main)
        d->class->main(d, d->state);
    else
        while (ach_driver_wait(d, -1))
            ;
}

/* Called and returns with robot->lock held; main runs without it. True: main ended by itself. */
static bool run(ach_driver_t *d)
{
    bool early;

    dev_driver_follow(d, !dev_driver_inline(d));
    set_phase(d, DEV_RUNNING);
    dev_pending_settle(d, ACH_OK, "");
    __atomic_store_n(&d->stop, !wanted(d), __ATOMIC_RELEASE); /* drop a stop that is obsolete */
    pthread_mutex_unlock(&d->robot->lock);
    work(d);
    pthread_mutex_lock(&d->robot->lock);
    early = !d->stop;
    dev_driver_follow(d, false);
    set_phase(d, DEV_STOPPING);
    pthread_mutex_unlock(&d->robot->lock);
    shut_down(d);
    pthread_mutex_lock(&d->robot->lock);
    while (ach_queue_length(d->queue)) { /* a flush that came meanwhile */
        pthread_mutex_unlock(&d->robot->lock);
        drain(d);
        pthread_mutex_lock(&d->robot->lock);
    }
    return early;
}

/* Wait before the next setup. A new subscription ends the wait: it needs a result at once. */
static void pause_for(ach_driver_t *d, double seconds)
{
    const struct timespec t = dev_timespec(monotonic_seconds() + seconds);

    while (wanted(d) && (!d->pending || dev_pending_only_keeper(d)) &&
           pthread_cond_timedwait(&d->robot->changed, &d->robot->lock, &t) != ETIMEDOUT)
        ;
}

/* Set up and run while there are subscriptions; retry if the hardware fails meanwhile. */
static void serve(ach_driver_t *d)
{
    double pause = RETRY_FIRST;
    bool ran = false;

    while (wanted(d)) {
        double since = monotonic_seconds();
        ach_status_t status = start(d);

        if (status == ACH_CANCELED && d->stop && wanted(d))
            continue; /* canceled when the last subscriber left; a new one has come */
        if (status != ACH_OK)
            dev_pending_settle(d, status, ach_errstr());
        if (status == ACH_OK ? !run(d) : !ran && !dev_pending_only_keeper(d))
            break;
        ran = true;
        set_phase(d, DEV_BROKEN);
        if (monotonic_seconds() - since > RETRY_LAST)
            pause = RETRY_FIRST;
        pthread_mutex_unlock(&d->robot->lock); /* the log callback may be slow */
        ach_robot_log(d->robot, ACH_LOG_WARNING, "driver %s has failed; next attempt in %g s",
                      d->class->name, pause);
        pthread_mutex_lock(&d->robot->lock);
        pause_for(d, pause);
        pause = pause * 2 < RETRY_LAST ? pause * 2 : RETRY_LAST;
    }
    set_phase(d, DEV_IDLE);
}

static void *live(void *driver)
{
    ach_driver_t *d = driver;

    pthread_mutex_lock(&d->robot->lock);
    while (!d->quit) {
        if (wanted(d))
            serve(d);
        else
            pthread_cond_wait(&d->robot->changed, &d->robot->lock);
    }
    dev_pending_settle(d, ACH_CANCELED, "the robot is shutting down");
    pthread_mutex_unlock(&d->robot->lock);
    return NULL;
}
