/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - the thread that serves the channels: messages, answers and exits of clients */
#include <ach/channel.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "../../util/monotonic.h"
#include "../core/wakeup.h"
#include "server.h"

#define END_SECONDS 1.0 /* limit of the wait for answers when the server ends */
#define LATE_MS 10      /* period of polls of the lock of the answers' channel */
#define TURNS 64u       /* messages of one channel that are handled per event */

static ach_status_t watch(struct ach_channels *s, struct devch_source *source, ach_channel_t *chan)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};
    ach_status_t status = ach_channel_fd(chan, &source->fd);

    if (status != ACH_OK)
        return status;
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->fd, &e) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "epoll: %s", strerror(errno));
    return ACH_OK;
}

static void handle(struct ach_channels *s, struct devch_source *source)
{
    switch (source->kind) {
    case DEVCH_COMMANDS:
        devch_channels_take_commands(s, (struct devch_output *)(void *)source, TURNS);
        break;
    case DEVCH_REQUESTS:
        devch_channels_take_requests(s, TURNS);
        break;
    case DEVCH_ANSWERS:
        dev_wakeup_clear(s->wake);
        devch_channels_pass_answers(s);
        devch_channels_say(s);
        break;
    case DEVCH_CLIENT:
        devch_client_end(s, (struct devch_client *)(void *)source);
        break;
    }
}

/* Deliver all commands and requests that were put; put answers that come within END_SECONDS. */
static void finish(struct ach_channels *s)
{
    double until = monotonic_seconds() + END_SECONDS;
    size_t i;

    for (i = 0; i < s->n_outputs; i++)
        devch_channels_take_commands(s, &s->outputs[i], DEVCH_CMD_COUNT);
    devch_channels_take_requests(s, DEVCH_REQ_COUNT);
    for (;;) {
        dev_wakeup_clear(s->wake);
        devch_channels_pass_answers(s);
        if (!s->pending.n || monotonic_seconds() >= until)
            break;
        devch_answers_send(s);
        dev_wakeup_wait(s->wake, until);
    }
    devch_answers_finish(s, until - monotonic_seconds());
    devch_channels_say(s);
}

/* Fetch one event at a time: ending a client frees what a later event of a batch may point to. */
static void *run(void *server)
{
    struct ach_channels *s = server;
    struct epoll_event e;
    bool sent = true;
    size_t i;

    for (i = 0; i < s->n_outputs; i++)
        watch(s, &s->outputs[i].commands, &s->outputs[i].cmd);
    watch(s, &s->requests, &s->req);
    while (!__atomic_load_n(&s->end, __ATOMIC_ACQUIRE)) {
        if (epoll_wait(s->epoll, &e, 1, sent ? -1 : LATE_MS) == 1)
            handle(s, e.data.ptr);
        sent = devch_answers_send(s);
    }
    finish(s);
    return NULL;
}

static ach_status_t thread_begin(struct ach_channels *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = &s->answers};

    s->answers.kind = DEVCH_ANSWERS;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (s->epoll < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, s->wake, &e) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "epoll: %s", strerror(errno));
    if (pthread_create(&s->thread, NULL, run, s) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no thread for a robot's channels");
    return ACH_OK;
}

static ach_status_t serve(ach_robot_t *robot, ach_section_t *options, void **server)
{
    struct ach_channels *s;
    ach_status_t status = devch_channels_open(robot, options, &s);

    if (status != ACH_OK)
        return status;
    status = thread_begin(s);
    if (status != ACH_OK)
        devch_channels_close(s);
    else
        *server = s;
    return status;
}

static void end(void *server)
{
    struct ach_channels *s = server;

    __atomic_store_n(&s->end, true, __ATOMIC_RELEASE);
    devch_channels_wake(s);
    pthread_join(s->thread, NULL);
    devch_channels_close(s);
}

const ach_transport_class_t ach_transport_channel = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "channel",
    .serve = serve,
    .end = end,
};
