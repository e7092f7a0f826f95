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
#include "session.h"

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
static ach_header_t outward(struct achi_session *s, const ach_header_t *header)
{
    ach_header_t h = *header;

    if (h.type == ACH_MSG_SYNCH)
        return h;
    if (h.type != ACH_MSG_DATA &&
        (h.address.interf != ACH_PLAYER_CODE || h.subtype == ACH_PLAYER_REQ_DEV))
        s->asking--;
    h.address.robot = h.address.interf == ACH_PLAYER_CODE
                          ? s->port
                          : achi_server_port(s->server, h.address.robot);
    h.address.host = s->host;
    return h;
}

/* False: there is no more. */
static bool fill(struct achi_session *s)
{
    while (!achi_output_full(&s->output)) {
        ach_message_t *m = next(s);
        ach_header_t h;

        if (!m)
            return false;
        h = outward(s, ach_message_header(m));
        achi_output_add(&s->output, &h, achi_map_is(&h) ? achi_map_pack(m) : m);
    }
    return true;
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
