/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * child.c - the process of one driver
 *
 * Its robot has the driver, and an outlet that is always on. The outlet subscribes to
 * all devices that the driver provides, and provides all devices that it requires.
 */
#include <ach.h>
#include <ach/interface/player.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../queue.h"
#include "child.h"
#include "process.h"

/* Seconds to shut the driver down; then SIGALRM ends the process. */
#define END_SECONDS 5u

struct child_outlet {
    struct dev_pipe end;
    unsigned waiting; /* subscriptions that are not answered yet */
    bool refused;
    sem_t over;
};

/* Any thread. The mark tells the server, too, but later. So this may be left out if many wait. */
static void child_tell_unhandled(ach_driver_t *driver, const ach_header_t *command, const char *why)
{
    ach_header_t h = *command;
    ach_message_t *m;

    h.type = ACH_MSG_SYNCH;
    h.subtype = DEV_SYNCH_UNHANDLED;
    if (ach_queue_length(driver->queue) >= DEV_PASSED_MAX ||
        ach_message_wrap(&h, why, strlen(why), &m) != ACH_OK)
        return;
    ach_queue_push(driver->queue, m);
    ach_message_unref(m);
}

static void child_settle(void *context, const ach_message_t *command, const char *why)
{
    ach_driver_t *driver = context;
    const ach_header_t *h = ach_message_header(command);

    if (why && h->sequence)
        child_tell_unhandled(driver, h, why);
    dev_passed_settle(&((struct child_outlet *)driver->state)->end.passed, h->sequence, !why);
}

static ach_status_t child_create(ach_driver_t *driver, ach_section_t *options, void **state)
{
    const ach_address_t any = {.interf = ACH_PLAYER_CODE};
    struct child_outlet *o = calloc(1, sizeof(*o));

    (void)options;
    if (!o)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a driver");
    sem_init(&o->over, 0, 0);
    *state = o;
    driver->alwayson = true;
    return dev_device_add(driver->robot, driver, &any, true);
}

static void child_destroy(ach_driver_t *driver, void *state)
{
    (void)driver;
    sem_destroy(&((struct child_outlet *)state)->over);
    free(state);
}

static void child_push(ach_driver_t *driver, uint8_t subtype)
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
    child_push(context, status == ACH_OK ? DEV_SYNCH_READY : DEV_SYNCH_REFUSED);
}

/* Without a route: the driver may require devices of the outlet, which is no circle. */
static void subscribe_all(ach_driver_t *driver, struct child_outlet *o)
{
    struct dev_device *d;

    ach_route_set(NULL);
    for (d = driver->robot->devices; d; d = d->next) {
        if (d->driver == driver)
            continue;
        o->waiting++;
        if (ach_robot_subscribe(driver->robot, &d->address, driver->queue, subscribed, driver) !=
            ACH_OK)
            child_push(driver, DEV_SYNCH_REFUSED);
    }
}

static ach_status_t child_setup(ach_driver_t *driver, void *state)
{
    struct child_outlet *o = state;
    ach_status_t status = dev_pipe_start(&o->end, driver);

    if (status == ACH_OK)
        subscribe_all(driver, o);
    return status;
}

static void child_shutdown(ach_driver_t *driver, void *state)
{
    struct child_outlet *o = state;
    struct dev_device *d;

    for (d = driver->robot->devices; d; d = d->next)
        if (d->driver != driver)
            ach_robot_unsubscribe(driver->robot, &d->address, driver->queue);
    dev_pipe_finish(&o->end);
}

static ach_status_t child_process(ach_driver_t *driver, void *state, const ach_message_t *message)
{
    const ach_header_t *h = ach_message_header(message);
    struct child_outlet *o = state;
    ach_header_t answer = *h;
    ach_message_t *m;
    ach_status_t status;

    (void)driver;
    if (h->type != ACH_MSG_SYNCH || h->subtype == DEV_SYNCH_UNHANDLED)
        return dev_pipe_process(&o->end, message);
    o->refused |= h->subtype != DEV_SYNCH_READY;
    if (--o->waiting)
        return ACH_OK;
    answer.subtype = o->refused ? DEV_SYNCH_REFUSED : DEV_SYNCH_READY;
    status = ach_message_wrap(&answer, NULL, 0, &m);
    if (status != ACH_OK)
        return status;
    status = dev_pipe_process(&o->end, m);
    ach_message_unref(m);
    return status;
}

static void child_main(ach_driver_t *driver, void *state)
{
    struct child_outlet *o = state;

    dev_pipe_run(&o->end);
    sem_post(&o->over);
    while (ach_driver_wait(driver, 0.1))
        ;
}

static const ach_driver_class_t outlet = {
    .version = ACH_DRIVER_VERSION,
    .flags = ACH_DRIVER_TRANSPARENT,
    .name = "outlet",
    .create = child_create,
    .destroy = child_destroy,
    .setup = child_setup,
    .shutdown = child_shutdown,
    .process = child_process,
    .main = child_main,
};

/* The first message has the config, the robot's number and its log level. */
static ach_status_t child_load(ach_robot_t *robot, struct dev_pipe *end)
{
    const ach_header_t *h;
    const char *name, *text;
    ach_message_t *m;
    size_t size, n;
    ach_status_t status = dev_pipe_receive(end, &m);

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

ach_status_t achi_process_child(ach_robot_t *robot, int in, int out, int memory)
{
    struct child_outlet *o;
    ach_driver_t *d;
    ach_status_t status;

    set_signals();
    fcntl(in, F_SETFD, FD_CLOEXEC);
    fcntl(out, F_SETFD, FD_CLOEXEC);
    fcntl(out, F_SETFL, O_NONBLOCK);
    status = dev_driver_create(robot, &outlet, NULL, &robot->outlet);
    if (status != ACH_OK)
        return status;
    o = robot->outlet->state;
    o->end.in = in;
    o->end.out = out;
    dev_queue_settled(robot->outlet->queue, child_settle, robot->outlet);
    status = dev_passed_open(&o->end.passed, memory);
    close(memory);
    if (status == ACH_OK)
        status = child_load(robot, &o->end);
    if (status == ACH_OK)
        status = ach_robot_start(robot);
    if (status != ACH_OK)
        return status;
    while (sem_wait(&o->over) != 0)
        ;
    alarm(END_SECONDS);
    for (d = robot->drivers; d; d = d->next) /* the outlet passes their last messages on */
        if (d != robot->outlet)
            dev_driver_quit(d);
    return ACH_OK;
}
