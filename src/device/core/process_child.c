/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process_child.c - the process of one driver
 *
 * Its robot has the driver, and an outlet that is always on: it subscribes to all
 * that the driver provides, and provides all that it requires.
 */
#include <ach.h>
#include <ach/interface/player.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"
#include "process_child.h"

/* Seconds to shut the driver down. */
#define END_SECONDS 5u

struct outlet {
    struct achi_end end;
    unsigned waiting; /* subscriptions that are not answered yet */
    bool refused;
    sem_t over;
};

static ach_status_t create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    const ach_address_t any = {.interf = ACH_PLAYER_CODE};
    struct outlet *o = calloc(1, sizeof(*o));

    (void)options;
    if (!o)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    sem_init(&o->over, 0, 0);
    *state = o;
    driver->alwayson = true;
    return achi_device_add(driver->robot, driver, &any, true);
}

static void destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    sem_destroy(&((struct outlet *)state)->over);
    free(state);
}

static void push(ach_driver_t *driver, uint8_t subtype)
{
    const ach_header_t h = {
        .address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_SYNCH, .subtype = subtype};
    ach_message_t *m;

    if (ach_message_wrap(&h, NULL, 0, &m) != ACH_OK)
        return;
    ach_queue_push(driver->queue, m);
    ach_message_unref(m);
}

static void subscribed(void *context, const ach_address_t *address, ach_status_t status,
                       const char *why)
{
    (void)address;
    (void)why;
    push(context, status == ACH_OK ? ACHI_SYNCH_READY : ACHI_SYNCH_REFUSED);
}

/* The driver's setup may want what the outlet provides: that is no circle. */
static void subscribe_all(ach_driver_t *driver, struct outlet *o)
{
    struct achi_device *d;

    ach_route_set(NULL);
    for (d = driver->robot->devices; d; d = d->next) {
        if (d->driver == driver)
            continue;
        o->waiting++;
        if (ach_robot_subscribe(driver->robot, &d->address, driver->queue, subscribed, driver) !=
            ACH_OK)
            push(driver, ACHI_SYNCH_REFUSED);
    }
}

static ach_status_t setup(ach_driver_t *driver, void *state)
{
    struct outlet *o = state;
    ach_status_t status = achi_end_start(&o->end, driver);

    if (status == ACH_OK)
        subscribe_all(driver, o);
    return status;
}

static void shutdown_(ach_driver_t *driver, void *state)
{
    struct outlet *o = state;
    struct achi_device *d;

    for (d = driver->robot->devices; d; d = d->next)
        if (d->driver != driver)
            ach_robot_unsubscribe(driver->robot, &d->address, driver->queue);
    achi_end_finish(&o->end);
}

static ach_status_t process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    struct outlet *o = state;
    ach_header_t answer = *h;
    ach_message_t *m;
    ach_status_t status;

    (void)driver;
    if (h->type != ACH_MSG_SYNCH)
        return achi_end_process(&o->end, message);
    o->refused |= h->subtype != ACHI_SYNCH_READY;
    if (--o->waiting)
        return ACH_OK;
    answer.subtype = o->refused ? ACHI_SYNCH_REFUSED : ACHI_SYNCH_READY;
    status = ach_message_wrap(&answer, NULL, 0, &m);
    if (status != ACH_OK)
        return status;
    status = achi_end_process(&o->end, m);
    ach_message_unref(m);
    return status;
}

static void main_(ach_driver_t *driver, void *state)
{
    struct outlet *o = state;

    achi_end_run(&o->end);
    sem_post(&o->over);
    while (ach_driver_wait(driver, 0.1))
        ;
}

static const ach_driver_class_t outlet = {
    .version = ACH_DRIVER_VERSION,
    .name = "outlet",
    .create = create,
    .destroy = destroy,
    .setup = setup,
    .shutdown = shutdown_,
    .process = process,
    .main = main_,
};

/* The first message has the config file, and which robot it is for. */
static ach_status_t load(ach_robot_t *robot, struct achi_end *end)
{
    const ach_header_t *h;
    const char *name, *text;
    ach_message_t *m;
    size_t size, n;
    ach_status_t status = achi_end_receive(end, &m);

    if (status != ACH_OK)
        return status;
    h = ach_message_header(m);
    robot->attr.robot = h->address.robot;
    robot->attr.level = (enum ach_log)h->address.index;
    robot->attr.strict = 1;
    name = ach_message_bytes(m, &size);
    n = strnlen(name, size);
    text = name + n + 1;
    status = n < size ? ach_config_parse(text, size - n - 1, name, &robot->config) : ACH_CORRUPT;
    if (status == ACH_OK)
        status = ach_robot_load_config(robot, robot->config);
    if (status == ACH_OK && *ach_config_warnings(robot->config))
        ach_robot_log(robot, ACH_LOG_WARNING, "%s", ach_config_warnings(robot->config));
    ach_message_unref(m);
    return status;
}

/* Ctrl-C is for the server, which then closes the pipe. */
static void set_signals(void)
{
    sigset_t set;

    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

ach_status_t achi_process_child(ach_robot_t *robot, int in, int out)
{
    struct outlet *o;
    ach_driver_t *d;
    ach_status_t status;

    set_signals();
    fcntl(in, F_SETFD, FD_CLOEXEC);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    fcntl(out, F_SETFL, O_NONBLOCK);
    status = achi_driver_create(robot, &outlet, NULL, &robot->outlet);
    if (status != ACH_OK)
        return status;
    o = robot->outlet->state;
    o->end.in = in;
    o->end.out = out;
    status = load(robot, &o->end);
    if (status == ACH_OK)
        status = ach_robot_start(robot);
    if (status != ACH_OK)
        return status;
    while (sem_wait(&o->over) != 0)
        ;
    alarm(END_SECONDS);
    for (d = robot->drivers; d; d = d->next) /* the outlet passes their last messages on */
        if (d != robot->outlet)
            achi_driver_quit(d);
    return ACH_OK;
}
