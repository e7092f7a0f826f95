/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sending.c - what a client gets, and when
 *
 * In push mode everything at once. In pull mode data waits until it is asked for; then
 * comes what is queued, at least one, and a SYNCH behind it. An answer does not
 * wait, and data that happened before it goes ahead of it.
 */
#include <ach.h>

#include "map.h"
#include "memory.h"

/* Then others have their turn. */
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

/* What was lost is told where it is missing: behind what was queued then. */
static ach_message_t *next_pushed(struct achi_session *s)
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

static ach_message_t *end_of_data(struct achi_session *s)
{
    uint64_t lost = s->gap + ach_queue_lost(s->queue);

    s->gap = 0;
    if (lost)
        return overflow(lost);
    s->asked = s->fed = false;
    return synch(ACH_PLAYER_SYNCH_OK, NULL);
}

static ach_message_t *next_asked(struct achi_session *s)
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

static ach_message_t *next(struct achi_session *s)
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

/* The address under which this client knows the device. */
static ach_header_t outward(struct achi_session *s, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);

    if (h.type == ACH_MSG_SYNCH)
        return h;
    if (h.type != ACH_MSG_DATA &&
        (h.address.interf != ACH_PLAYER_CODE || h.subtype == ACH_PLAYER_REQ_DEV)) {
        s->asking--;
        achi_memory_answered(s, m);
    }
    h.address.robot = h.address.interf == ACH_PLAYER_CODE
                          ? s->port
                          : achi_server_port(s->server, h.address.robot);
    h.address.host = s->host;
    return h;
}

static void add(struct achi_session *s, ach_message_t *m)
{
    const ach_header_t h = outward(s, m);

    achi_output_add(&s->output, &h, m);
}

/* Behind the maps of other clients. */
static void queue_map(struct achi_session *s, ach_message_t *m)
{
    struct achi_session **end = &s->server->maps;

    while (*end)
        end = &(*end)->next_map;
    s->map = m;
    s->next_map = NULL;
    *end = s;
}

/* One map at a time is compressed: that takes memory, too. */
bool achi_session_pack(struct achi_server *server)
{
    struct achi_session *s = server->maps;
    ach_message_t *m;

    if (!s)
        return false;
    if (!server->packing.map)
        achi_map_begin(&server->packing, ach_message_ref(s->map));
    m = achi_map_slice(&server->packing, ACHI_MAP_SLICE);
    if (m) {
        const ach_header_t h = outward(s, s->map);

        ach_budget_count(server->budget, m);
        achi_session_unpack(s);
        achi_output_add(&s->output, &h, m);
        achi_loop_mark(&s->peer);
    }
    return server->maps;
}

void achi_session_unpack(struct achi_session *s)
{
    struct achi_session **at = &s->server->maps;

    if (!s->map)
        return;
    if (*at == s)
        achi_map_abandon(&s->server->packing);
    while (*at != s)
        at = &(*at)->next_map;
    *at = s->next_map;
    ach_message_unref(s->map);
    s->map = NULL;
}

/* False: there is no more for now. */
static bool fill(struct achi_session *s)
{
    while (!s->map && !achi_output_full(&s->output)) {
        ach_message_t *m = next(s);

        if (!m)
            return false;
        if (!achi_map_is(ach_message_header(m)))
            add(s, m);
        else if (achi_map_large(m))
            queue_map(s, m);
        else
            add(s, achi_map_pack(m));
    }
    return !s->map;
}

void achi_session_send(struct achi_session *s)
{
    ach_status_t status = ACH_OK;
    bool more = true;
    int round;

    for (round = 0; round < ROUNDS && more && status == ACH_OK && !s->blocked; round++) {
        more = fill(s);
        status = achi_output_send(&s->output, s->peer.fd);
    }
    s->blocked = s->blocked || status == ACH_EAGAIN;
    if (status == ACH_CLOSED)
        achi_session_lose(s, ach_errstr());
    else if (more && !s->blocked)
        achi_loop_mark(&s->peer);
}
