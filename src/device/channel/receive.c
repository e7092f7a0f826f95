/* SPDX-License-Identifier: BSD-3-Clause */
/* receive.c - messages of clients out of their channels, and commands to the robot */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "server.h"

/* Stop reading a damaged channel: its descriptor would stay ready. Any writer can damage it. */
static void lose(struct ach_channels *s, struct devch_source *source, ach_status_t why)
{
    char text[ACH_ADDRESS_MAX];
    const bool commands = source->kind == DEVCH_COMMANDS;
    const struct devch_output *o = (const void *)source;

    source->lost = true;
    if (s->epoll >= 0)
        epoll_ctl(s->epoll, EPOLL_CTL_DEL, source->fd, NULL);
    ach_robot_log(
        s->robot, ACH_LOG_ERROR,
        "the channel of %s%s is damaged (%s): it is not read until the server is restarted",
        commands ? "commands to " : "requests", commands ? ach_address_text(&o->address, text) : "",
        ach_result_to_string(why));
}

bool devch_channels_receive(struct ach_channels *s, struct devch_source *source,
                            ach_channel_t *chan, ach_header_t *h, uint32_t *size,
                            uint64_t *overwritten)
{
    size_t n = 0;
    uint64_t missed = 0;
    ach_status_t status;

    if (source->lost)
        return false;
    status = ach_get(chan, s->buffer, s->room, &n, NULL, 0);
    while (status == ACH_OVERFLOW && n <= ACH_FRAME_HEADER + ACH_BODY_MAX) {
        unsigned char *more = realloc(s->buffer, n);

        if (!more)
            return false;
        s->buffer = more;
        s->room = n;
        status = ach_get(chan, s->buffer, s->room, &n, NULL, 0);
    }
    *size = 0;
    h->type = 0;
    if (status == ACH_CORRUPT)
        lose(s, source, status);
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        return false;
    if (status == ACH_MISSED_FRAME && ach_channel_missed(chan, &missed, NULL) == ACH_OK)
        *overwritten += missed;
    if (n >= ACH_FRAME_HEADER && ach_frame_read(s->buffer, h, size) == ACH_OK &&
        *size != n - ACH_FRAME_HEADER)
        h->type = 0; /* not ours; leave it */
    return true;
}

void devch_channels_say_overwritten(const struct ach_channels *s, const char *what, uint64_t before,
                                    uint64_t now)
{
    if (now > before && devch_channels_doubled(before, now))
        ach_robot_log(s->robot, ACH_LOG_WARNING,
                      "%llu %s were overwritten in their channel before the server read them",
                      (unsigned long long)now, what);
}

/* Deliver the command in s->buffer. The handle that put it is told with its next flush. */
static ach_status_t receive_deliver(struct ach_channels *s, const struct devch_output *o,
                                    ach_header_t *h, uint32_t size)
{
    struct devch_use *u = devch_use_find(s, h, &o->address);
    ach_status_t status;

    h->address = o->address;
    status =
        ach_robot_deliver(s->robot, h, s->buffer + ACH_FRAME_HEADER, size, u ? u->queue : NULL);
    if (status != ACH_OK && u)
        ach_queue_unhandled(u->queue, ach_errstr());
    return status;
}

/* Log it: the program that put the command may not flush. */
static void say_refused(const struct ach_channels *s, struct devch_output *o)
{
    char text[ACH_ADDRESS_MAX];

    if (devch_channels_doubled(o->refused, o->refused + 1))
        ach_robot_log(
            s->robot, ACH_LOG_WARNING, "%llu commands through the channel of %s are refused: %s",
            (unsigned long long)o->refused + 1, ach_address_text(&o->address, text), ach_errstr());
    o->refused++;
}

void devch_channels_take_commands(struct ach_channels *s, struct devch_output *o, unsigned turns)
{
    char what[ACH_ADDRESS_MAX + 16], text[ACH_ADDRESS_MAX];
    uint64_t before = o->overwritten;
    ach_header_t h;
    uint32_t size;

    while (turns-- &&
           devch_channels_receive(s, &o->commands, &o->cmd, &h, &size, &o->overwritten)) {
        if (h.type == ACH_MSG_CMD && receive_deliver(s, o, &h, size) != ACH_OK)
            say_refused(s, o);
    }
    if (o->overwritten == before)
        return;
    snprintf(what, sizeof(what), "commands to %s", ach_address_text(&o->address, text));
    devch_channels_say_overwritten(s, what, before, o->overwritten);
}
