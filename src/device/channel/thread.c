/* SPDX-License-Identifier: BSD-3-Clause */
/* thread.c - a thread that waits for whatever happens in the channels and to clients */
#include <ach/channel.h>
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "../core/bell.h"
#include "server.h"

#define END_SECONDS 1.0 /* for answers when the server ends */
#define LATE_MS 10      /* how often to look whether a lock is free */
#define TURNS 64u       /* messages of one channel before others have their turn */

static ach_status_t watch(struct ach_channels *s, struct achi_source *source, ach_channel_t *chan)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = source};
    ach_status_t status = ach_channel_fd(chan, &source->fd);

    if (status != ACH_OK)
        return status;
    if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, source->fd, &e) != 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "epoll: %s", strerror(errno));
    return ACH_OK;
}

static void handle(struct ach_channels *s, struct achi_source *source)
{
    switch (source->kind) {
    case ACHI_COMMANDS:
        achi_channels_take_commands(s, (struct achi_output *)(void *)source, TURNS);
        break;
    case ACHI_REQUESTS:
        achi_channels_take_requests(s, TURNS);
        break;
    case ACHI_ANSWERS:
        achi_bell_clear(s->wake);
        achi_channels_pass_answers(s);
        achi_channels_say(s);
        break;
    case ACHI_CLIENT:
        achi_client_end(s, (struct achi_client *)(void *)source);
        break;
    }
}

/* Whatever was put before the end is handed to the robot, and what is answered by then is put. */
static void finish(struct ach_channels *s)
{
    double until = achi_monotonic() + END_SECONDS;
    size_t i;

    for (i = 0; i < s->n_outputs; i++)
        achi_channels_take_commands(s, &s->outputs[i], ACHI_CMD_COUNT);
    achi_channels_take_requests(s, ACHI_REQ_COUNT);
    for (;;) {
        achi_bell_clear(s->wake);
        achi_channels_pass_answers(s);
        if (!s->n_asked || achi_monotonic() >= until)
            break;
        achi_answers_send(s);
        achi_bell_wait(s->wake, until);
    }
    achi_answers_finish(s, until - achi_monotonic());
    achi_channels_say(s);
}

/* The end of a client may free what later events of the same batch point to: one at a time. */
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
        sent = achi_answers_send(s);
    }
    finish(s);
    return NULL;
}

static ach_status_t begin(struct ach_channels *s)
{
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = &s->answers};

    s->answers.kind = ACHI_ANSWERS;
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
    ach_status_t status = achi_channels_open(robot, options, &s);

    if (status != ACH_OK)
        return status;
    status = begin(s);
    if (status != ACH_OK)
        achi_channels_close(s);
    else
        *server = s;
    return status;
}

static void end(void *server)
{
    struct ach_channels *s = server;

    __atomic_store_n(&s->end, true, __ATOMIC_RELEASE);
    achi_channels_wake(s);
    pthread_join(s->thread, NULL);
    achi_channels_close(s);
}

const ach_transport_class_t ach_transport_channel = {
    .version = ACH_TRANSPORT_VERSION,
    .name = "channel",
    .serve = serve,
    .end = end,
};
