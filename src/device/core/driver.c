/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.c - the life of a driver
 *
 * A thread of its own sleeps until somebody subscribes, sets the driver up, runs
 * it until nobody is subscribed any more, and shuts it down.
 */
#include <ach.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "core.h"
#include "queue.h"

/* Hardware that fails is tried again after this many seconds, then twice that, and so on. */
#define RETRY_FIRST 0.5
#define RETRY_LAST 8.0

static void wake(void *driver)
{
    achi_driver_wake(driver);
}

void achi_driver_wake(ach_driver_t *d)
{
    achi_bell_ring(d->eventfd);
}

static void attend(void *driver)
{
    achi_inline_attend(driver);
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

/* A driver that fails stays in the robot's list, which is destroyed as a whole. */
ach_status_t achi_driver_create(ach_robot_t *robot, const ach_driver_class_t *class,
                                ach_section_t *options, ach_driver_t **driver)
{
    ach_driver_t *d = allocate(robot, class, options);
    ach_status_t status;

    if (!d || d->eventfd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "driver %s: %s", class->name, strerror(errno));
    status = ach_queue_create(0, 0, achi_driver_inline(d) ? NULL : wake, d, &d->queue);
    if (status != ACH_OK)
        return status;
    if (achi_driver_inline(d))
        achi_queue_attended(d->queue, attend, d);
    status = class->create(d, options, &d->state);
    d->created = status == ACH_OK;
    *driver = d;
    return status;
}

void achi_driver_destroy(ach_driver_t *d)
{
    if (d->created && d->class->destroy)
        d->class->destroy(d, d->state);
    while (d->needs) {
        struct achi_need *n = d->needs;

        d->needs = n->next;
        free(n);
    }
    ach_queue_close(d->keeper);
    ach_queue_close(d->queue);
    if (d->eventfd >= 0)
        close(d->eventfd);
    achi_properties_destroy(d);
    free(d->route);
    free(d->own_class);
    pthread_mutex_destroy(&d->values);
    pthread_mutex_destroy(&d->inlined);
    pthread_cond_destroy(&d->left);
    free(d);
}

static void set_phase(ach_driver_t *d, enum achi_phase phase)
{
    __atomic_store_n(&d->phase, phase, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&d->robot->changed);
    pthread_mutex_lock(&d->robot->time_lock);
    achi_robot_rested(d->robot);
    pthread_mutex_unlock(&d->robot->time_lock);
}

void achi_driver_stop(ach_driver_t *d)
{
    __atomic_store_n(&d->stop, true, __ATOMIC_RELEASE);
    achi_driver_wake(d);
    pthread_cond_broadcast(&d->robot->changed);
}

/* What is left is not for the next time; requests are answered with a NACK. */
static void drain(ach_driver_t *d)
{
    unsigned commands = 0;
    ach_message_t *m;

    while ((m = ach_queue_pop(d->queue))) {
        commands += ach_message_header(m)->type == ACH_MSG_CMD;
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
    ach_status_t status = achi_needs_subscribe(d);

    if (status == ACH_OK && d->class->setup) {
        ach_errstr_set(ACH_OK, "%s", "");
        status = d->class->setup(d, d->state);
        if (status != ACH_OK && !*ach_errstr())
            ach_errstr_set(status, "its setup failed (%s)", ach_result_to_string(status));
    }
    if (status != ACH_OK) {
        achi_needs_unsubscribe(d);
        drain(d);
    }
    return status;
}

static void shut_down(ach_driver_t *d)
{
    if (d->class->shutdown)
        d->class->shutdown(d, d->state);
    achi_needs_unsubscribe(d);
    drain(d);
}

static bool wanted(const ach_driver_t *d)
{
    return d->subscriptions > 0 && !d->quit;
}

/* What it requires is subscribed to on behalf of who came first. A link is no device of its own. */
static void set_route(ach_driver_t *d)
{
    const struct achi_pending *p = d->pending;
    const char *before = p && p->route ? p->route : "";

    if (p && p->device->remote) {
        free(d->route);
        d->route = strdup(before);
    } else if (p) {
        achi_route_add(p->device, before, &d->route);
    }
    ach_route_set(d->route);
}

/* ach_robot_start returns what went wrong, and its caller says it. */
static bool told_elsewhere(const ach_driver_t *d)
{
    return d->robot->attr.strict && d->keeper && !d->kept;
}

/* Under the lock, and again when it returns. */
static ach_status_t start(ach_driver_t *d)
{
    bool silent = told_elsewhere(d);
    ach_status_t status;

    __atomic_store_n(&d->stop, false, __ATOMIC_RELEASE);
    achi_driver_follow(d, false);
    set_route(d);
    set_phase(d, ACHI_STARTING);
    pthread_mutex_unlock(&d->robot->lock);
    status = set_up(d);
    if (status != ACH_OK && status != ACH_CANCELED && !silent)
        ach_robot_log(d->robot, ACH_LOG_ERROR, "driver %s cannot be set up: %s", d->class->name,
                      ach_errstr());
    pthread_mutex_lock(&d->robot->lock);
    return status;
}

/* Others call its process; what came during setup is ours. */
static void stand_by(ach_driver_t *d)
{
    achi_inline_attend(d);
    pthread_mutex_lock(&d->robot->lock);
    while (!d->stop)
        pthread_cond_wait(&d->robot->changed, &d->robot->lock);
    pthread_mutex_unlock(&d->robot->lock);
    achi_inline_close(d);
    achi_driver_process(d); /* a message whose sender found the driver closed */
}

/* Until it is to stop, or fails. */
static void work(ach_driver_t *d)
{
    if (achi_driver_inline(d))
        stand_by(d);
    else if (d->class->main)
        d->class->main(d, d->state);
    else
        while (ach_driver_wait(d, -1))
            ;
}

/* Under the lock, and again when it returns. True: main ended by itself. */
static bool run(ach_driver_t *d)
{
    bool early;

    if (achi_driver_inline(d))
        achi_inline_open(d);
    achi_driver_follow(d, !achi_driver_inline(d));
    set_phase(d, ACHI_RUNNING);
    achi_pending_settle(d, ACH_OK, "");
    __atomic_store_n(&d->stop, !wanted(d), __ATOMIC_RELEASE); /* whatever was asked meanwhile */
    pthread_mutex_unlock(&d->robot->lock);
    work(d);
    pthread_mutex_lock(&d->robot->lock);
    early = !d->stop;
    achi_driver_follow(d, false);
    set_phase(d, early ? ACHI_BROKEN : ACHI_STOPPING);
    pthread_mutex_unlock(&d->robot->lock);
    shut_down(d);
    pthread_mutex_lock(&d->robot->lock);
    return early;
}

/* Who newly subscribes does not wait: he is to hear at once whether it works now. */
static void pause_for(ach_driver_t *d, double seconds)
{
    const struct timespec t = achi_timespec(achi_monotonic() + seconds);

    while (wanted(d) && (!d->pending || achi_pending_only_keeper(d)) &&
           pthread_cond_timedwait(&d->robot->changed, &d->robot->lock, &t) != ETIMEDOUT)
        ;
}

/* Set up and run as long as somebody is subscribed; again if the hardware fails meanwhile. */
static void serve(ach_driver_t *d)
{
    double pause = RETRY_FIRST;
    bool ran = false;

    while (wanted(d)) {
        double since = achi_monotonic();
        ach_status_t status = start(d);

        if (status == ACH_CANCELED && d->stop && wanted(d))
            continue; /* who it was for has left, and somebody else has come */
        if (status != ACH_OK)
            achi_pending_settle(d, status, ach_errstr());
        if (status == ACH_OK ? !run(d) : !ran && !achi_pending_only_keeper(d))
            break;
        ran = true;
        set_phase(d, ACHI_BROKEN);
        if (achi_monotonic() - since > RETRY_LAST)
            pause = RETRY_FIRST;
        pthread_mutex_unlock(&d->robot->lock); /* who takes the log may be slow */
        ach_robot_log(d->robot, ACH_LOG_WARNING, "driver %s has failed; again in %g s",
                      d->class->name, pause);
        pthread_mutex_lock(&d->robot->lock);
        pause_for(d, pause);
        pause = pause * 2 < RETRY_LAST ? pause * 2 : RETRY_LAST;
    }
    set_phase(d, ACHI_IDLE);
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
    achi_pending_settle(d, ACH_CANCELED, "the robot ends");
    pthread_mutex_unlock(&d->robot->lock);
    return NULL;
}

ach_status_t achi_driver_begin(ach_driver_t *d)
{
    int error;

    if (d->quit)
        return ach_errstr_set(ACH_CANCELED, "the robot ends");
    if (d->threaded)
        return ACH_OK;
    error = pthread_create(&d->thread, NULL, live, d);
    if (error)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for driver %s: %s", d->class->name,
                              strerror(error));
    d->threaded = true;
    return ACH_OK;
}

void achi_driver_quit(ach_driver_t *d)
{
    pthread_mutex_lock(&d->robot->lock);
    d->quit = true;
    achi_driver_stop(d);
    pthread_mutex_unlock(&d->robot->lock);
    if (d->threaded)
        pthread_join(d->thread, NULL);
    d->threaded = false;
}
