/* SPDX-License-Identifier: BSD-3-Clause */
/* map_queue.c - the queue of clients whose maps are to be compressed */
#include <ach.h>

#include "map.h"
#include "session.h"

void tcp_session_queue_map(struct tcp_session *s, ach_message_t *m)
{
    struct tcp_session **end = &s->server->maps;

    while (*end)
        end = &(*end)->next_map;
    s->map = m;
    s->next_map = NULL;
    *end = s;
}

void tcp_session_unpack(struct tcp_session *s)
{
    struct tcp_session **at = &s->server->maps;

    if (!s->map)
        return;
    if (*at == s)
        tcp_map_abandon(&s->server->packing);
    while (*at != s)
        at = &(*at)->next_map;
    *at = s->next_map;
    ach_message_unref(s->map);
    s->map = NULL;
}
