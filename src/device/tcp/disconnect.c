/* SPDX-License-Identifier: BSD-3-Clause */
/* disconnect.c - remove a client from the strangers, or disconnect it */
#include <ach.h>

#include "session.h"

void tcp_session_know(struct tcp_session *s)
{
    if (!s->stranger_at)
        return;
    *s->stranger_at = s->next_stranger;
    if (s->next_stranger)
        s->next_stranger->stranger_at = s->stranger_at;
    else
        s->server->last_stranger = s->stranger_at;
    s->stranger_at = NULL;
    s->input.limit = (size_t)s->server->options.message_max;
}

void tcp_session_leave(struct tcp_session *s)
{
    s->closing = true;
    tcp_session_unpack(s);
    tcp_output_finish(&s->output);
    tcp_session_know(s);
    tcp_subscription_close_all(s);
    ach_queue_close(s->queue);
    *s->at = s->next;
    if (s->next)
        s->next->at = s->at;
    s->server->clients--;
    tcp_account_leave(s);
    tcp_stream_shutdown(&s->stream);
    tcp_loop_remove(&s->peer);
}

void tcp_session_close(struct tcp_session *s, const char *why)
{
    if (s->closing)
        return;
    ach_robot_log(s->server->robot, ACH_LOG_INFO, "the connection of client %s is closed: %s",
                  s->name, why);
    tcp_session_leave(s);
}
