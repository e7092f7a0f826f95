/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * session_send.c - which messages are sent to a client, and when
 *
 * In push mode messages are sent at once. In pull mode data waits until the client requests it.
 * Then all queued messages are sent, at least one of them data, and a SYNCH after them. An answer
 * does not wait for such a request, and data that was queued before it is sent before it.
 */
#include <ach.h>

#include "map.h"
#include "memory.h"

/* Rounds of sending in one turn; then other clients are served. */
#define ROUNDS 8

static ach_message_t *synch(uint8_t subtype, const ach_player_overflow_t *body)
{
    const ach_header_t h = {
        .address = {.interf = ACH_PLAYER_CODE}, .type = ACH_MSG_SYNCH, .subtype = subtype};
    ach_message_t *m = NULL;

    ach_message_create(&h, body, &m);
    return m;
}

static ach_message_t *overflow(uint64_t lost)
{
    const ach_player_overflow_t body = {.value = lost < UINT32_MAX ? (uint32_t)lost : UINT32_MAX};

    return synch(ACH_PLAYER_SYNCH_OVERFLOW, &body);
}

/* Report lost messages where they are missing: after those that were queued at that time. */
static ach_message_t *next_pushed(struct tcp_session *s)
{
    ach_message_t *m;

    if (!s->gap && (s->gap = ach_queue_lost(s->queue)))
        s->gap_after = ach_queue_length(s->queue);
    if (s->gap && s->gap_after == 0) {
        m = overflow(s->gap);
        s->gap = 0;
        return m;
    }
    m = ach_queue_pop(s->queue);
    if (s->gap && s->gap_after)
        s->gap_after = m ? s->gap_after - 1 : 0;
    return m;
}

static ach_message_t *end_of_data(struct tcp_session *s)
{
    uint64_t lost = s->gap + ach_queue_lost(s->queue);

    s->gap = 0;
    if (lost)
        return overflow(lost);
    s->asked = s->fed = false;
    return synch(ACH_PLAYER_SYNCH_OK, NULL);
}

static ach_message_t *next_asked(struct tcp_session *s)
{
    ach_message_t *m;

    if (s->allowed == 0 && s->fed)
        return end_of_data(s);
    if (s->allowed == 0)
        s->allowed = ach_queue_length(s->queue);
    m = s->allowed ? ach_queue_pop(s->queue) : NULL;
    s->allowed = m ? s->allowed - 1 : 0;
    if (m && ach_message_header(m)->type == ACH_MSG_DATA)
        s->fed = true;
    return m;
}

static ach_message_t *session_send_next(struct tcp_session *s)
{
    ach_message_t *m = s->urgent;

    s->urgent = NULL;
    if (m)
        return m;
    if (!s->pull)
        return next_pushed(s);
    if (s->asked)
        return next_asked(s);
    return ach_queue_replies(s->queue) ? ach_queue_pop(s->queue) : NULL;
}

/* The header with the address that the client uses. An answer ends its pending request. */
static ach_header_t outward(struct tcp_session *s, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);

    if (h.type == ACH_MSG_SYNCH)
        return h;
    if (h.type != ACH_MSG_DATA &&
        (h.address.interf != ACH_PLAYER_CODE || h.subtype == ACH_PLAYER_REQ_DEV)) {
        s->asking--;
        tcp_memory_answered(s, m);
    }
    h.address.robot =
        h.address.interf == ACH_PLAYER_CODE ? s->port : tcp_server_port(s->server, h.address.robot);
    h.address.host = s->host;
    return h;
}

static void session_send_add(struct tcp_session *s, ach_message_t *m)
{
    const ach_header_t h = outward(s, m);

    tcp_output_add(&s->output, &h, m);
}

/* Only one map at a time is compressed, because that takes memory. */
bool tcp_session_pack(struct tcp_server *server)
{
    struct tcp_session *s = server->maps;
    ach_message_t *m;

    if (!s)
        return false;
    if (!server->packing.map)
        tcp_map_begin(&server->packing, ach_message_ref(s->map));
    m = tcp_map_slice(&server->packing, TCP_MAP_SLICE);
    if (m) {
        const ach_header_t h = outward(s, s->map);

        ach_budget_count(server->budget, m);
        tcp_session_unpack(s);
        tcp_output_add(&s->output, &h, m);
        tcp_loop_mark(&s->peer);
    }
    return server->maps;
}

static void session_send_message(struct tcp_session *s, ach_message_t *m)
{
    if (!tcp_map_is(ach_message_header(m)))
        session_send_add(s, m);
    else if (tcp_map_large(m))
        tcp_session_queue_map(s, m);
    else
        session_send_add(s, tcp_map_pack(m));
}

/* False: there is no more to send for now. */
static bool session_send_fill(struct tcp_session *s)
{
    while (!s->map && !tcp_output_full(&s->output)) {
        ach_message_t *m = session_send_next(s);

        if (!m)
            return false;
        session_send_message(s, m);
    }
    return !s->map;
}

bool tcp_session_push(struct tcp_session *s)
{
    ach_message_t *m = next_pushed(s);

    if (m)
        session_send_message(s, m);
    return tcp_output_send(&s->output, &s->stream) == ACH_OK && !s->map &&
           !ach_queue_length(s->queue);
}

bool tcp_session_send(struct tcp_session *s)
{
    ach_status_t status = ACH_OK;
    bool more = true;
    int round;

    for (round = 0; round < ROUNDS && more && status == ACH_OK && !s->blocked; round++) {
        more = session_send_fill(s);
        status = tcp_output_send(&s->output, &s->stream);
    }
    s->blocked = s->blocked || status == ACH_EAGAIN;
    if (more && !s->blocked && status != ACH_CLOSED)
        tcp_loop_mark(&s->peer);
    return status != ACH_CLOSED;
}
