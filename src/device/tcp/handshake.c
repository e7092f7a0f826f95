/* SPDX-License-Identifier: BSD-3-Clause */
#include "handshake.h"

#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "connect.h"
#include "secret.h"
#include "secure.h"
#include "wire.h"

#define BUFFER 65536u

static ach_status_t handshake_fail(const struct tcp_handshake *c, ach_status_t status,
                                   const char *what)
{
    return ach_errstr_set(status, "%s: %s", c->name, what);
}

static ach_status_t await(struct tcp_handshake *c, short events)
{
    return tcp_connect_wait(c->stream.fd, events, c->until)
               ? ACH_OK
               : handshake_fail(c, ACH_TIMEOUT, "it does not answer");
}

static ach_status_t send_all(struct tcp_handshake *c, const unsigned char *bytes, size_t n)
{
    while (n) {
        const struct iovec all = {(void *)(uintptr_t)bytes, n};
        ssize_t sent = tcp_stream_send(&c->stream, &all, 1);

        if (sent < 0 && errno == EAGAIN) {
            ach_status_t status = await(c, POLLOUT);

            if (status != ACH_OK)
                return status;
        } else if (sent < 0 && errno != EINTR) {
            return handshake_fail(c, ACH_CLOSED, tcp_stream_why(&c->stream));
        } else if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        }
    }
    return ACH_OK;
}

/* *n: at least one. After the deadline, only bytes already received are read, and only once. */
static ach_status_t handshake_receive(struct tcp_handshake *c, void *to, size_t room, size_t *n)
{
    if (c->late)
        return handshake_fail(c, ACH_TIMEOUT, "it does not answer");
    c->late = monotonic_seconds() >= c->until;
    for (;;) {
        ssize_t got = tcp_stream_receive(&c->stream, to, room);

        if (got > 0) {
            *n = (size_t)got;
            return ACH_OK;
        }
        if (got == 0)
            return handshake_fail(c, ACH_CLOSED, "it closed the connection");
        if (errno == EAGAIN) {
            ach_status_t status = await(c, POLLIN);

            if (status != ACH_OK)
                return status;
        } else if (errno != EINTR) {
            return handshake_fail(c, ACH_CLOSED, tcp_stream_why(&c->stream));
        }
    }
}

static ach_status_t read_greeting(struct tcp_handshake *c)
{
    char text[TCP_GREETING_SIZE];
    size_t n = 0, more = 0;

    while (n < sizeof(text)) {
        ach_status_t status = handshake_receive(c, text + n, sizeof(text) - n, &more);

        if (status == ACH_TIMEOUT && !c->stream.tls)
            handshake_fail(c, status, "it does not answer; if it requires TLS, set ACH_KEYS");
        if (status != ACH_OK)
            return status;
        n += more;
    }
    if (memcmp(text, TCP_GREETING, strlen(TCP_GREETING)) != 0)
        return handshake_fail(c, ACH_CORRUPT, "it is not a device server");
    return ACH_OK;
}

static ach_status_t handshake_secure(struct tcp_handshake *c, const char *peer)
{
    ach_status_t status = tcp_secure_begin(&c->stream, peer);

    while (status == ACH_OK) {
        status = c->stream.tls->session_handshake(c->stream.session);
        if (status == ACH_OK)
            return ACH_OK;
        if (status == ACH_EAGAIN) {
            status = await(c, c->stream.tls->session_wants(c->stream.session));
            if (status != ACH_OK)
                return status;
        }
    }
    return handshake_fail(c, status, ach_errstr());
}

static ach_status_t handshake_connect(struct tcp_handshake *c, const ach_place_t *place, bool tls)
{
    char peer[TLS_NAME_MAX] = "";
    ach_place_t where = *place;
    ach_status_t status = tls ? tcp_secure_split(place, &where, peer) : ACH_OK;

    if (status == ACH_OK)
        status = tcp_connect(&where, c->until, &c->stream.fd);
    if (status != ACH_OK)
        return handshake_fail(c, status, ach_errstr());
    return tls ? handshake_secure(c, peer) : ACH_OK;
}

ach_status_t tcp_handshake_begin(struct tcp_handshake *c, const ach_place_t *place, bool tls,
                                 double timeout)
{
    ach_status_t status;

    memset(c, 0, sizeof(*c));
    c->stream.fd = -1;
    c->rights = ACH_RIGHT_ALL;
    c->until = monotonic_seconds() + timeout;
    tcp_input_init(&c->input, ACH_BODY_MAX);
    tcp_connect_name(place, c->name, sizeof(c->name));
    c->buffer = malloc(BUFFER);
    if (!c->buffer)
        return handshake_fail(c, ACH_FAILED_SYSCALL, "no memory");
    status = handshake_connect(c, place, tls);
    return status == ACH_OK ? read_greeting(c) : status;
}

void tcp_handshake_end(struct tcp_handshake *c)
{
    if (c->stream.fd >= 0) {
        tcp_stream_shutdown(&c->stream);
        close(c->stream.fd);
    }
    tcp_stream_finish(&c->stream);
    tcp_input_finish(&c->input);
    free(c->buffer);
}

ach_status_t tcp_handshake_ask(struct tcp_handshake *c, uint8_t subtype, uint32_t sequence,
                               const void *bytes, size_t size)
{
    const ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE},
                            .type = ACH_MSG_REQ,
                            .subtype = subtype,
                            .sequence = sequence};
    unsigned char message[ACH_FRAME_HEADER + ACH_ROUTE_MAX + 64];

    if (size > sizeof(message) - ACH_FRAME_HEADER)
        return handshake_fail(c, ACH_OVERFLOW, "the request is too long");
    ach_frame_write(&h, (uint32_t)size, message);
    if (size)
        memcpy(message + ACH_FRAME_HEADER, bytes, size);
    return send_all(c, message, ACH_FRAME_HEADER + size);
}

/* Receive the next message, of any type. */
static ach_status_t handshake_next(struct tcp_handshake *c, ach_header_t *h,
                                   const unsigned char **body, size_t *size)
{
    ach_status_t status;

    while ((status = tcp_input_next(&c->input, h, body, size)) == ACH_EAGAIN) {
        size_t n;

        status = tcp_input_keep(&c->input);
        if (status == ACH_OK)
            status = handshake_receive(c, c->buffer, BUFFER, &n);
        if (status == ACH_OK)
            status = tcp_input_feed(&c->input, c->buffer, n);
        if (status != ACH_OK)
            return status;
    }
    return status == ACH_OK ? ACH_OK : handshake_fail(c, status, ach_errstr());
}

/* Servers answer requests in order; some with the sequence 0. */
static bool handshake_is_answer(const ach_header_t *h, uint8_t subtype, uint32_t sequence)
{
    return h->address.interf == ACH_PLAYER_CODE && h->subtype == subtype &&
           (h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK) &&
           (h->sequence == sequence || h->sequence == 0);
}

/* A server gives no reason to a client that has not sent the secret. */
static const char *refusal(const struct tcp_handshake *c)
{
    static const char *const guesses[] = {
        [TCP_SECRET_NONE] = "it refuses the request; it may need a secret: set ACH_SECRET",
        [TCP_SECRET_WRONG] = "it refuses the request; the secret in ACH_SECRET may be wrong",
        [TCP_SECRET_RIGHT] = "it refuses the request"};

    return *c->why ? c->why : guesses[c->secret];
}

static void take_rights(struct tcp_handshake *c, const unsigned char *body, size_t size)
{
    if (size > 4 && tcp_wire_text(body + 4, size - 4, c->limits, sizeof(c->limits)))
        c->rights = tcp_wire_number(body) & ACH_RIGHT_ALL;
}

ach_status_t tcp_handshake_answer(struct tcp_handshake *c, uint8_t subtype, uint32_t sequence,
                                  const unsigned char **body, size_t *size)
{
    ach_header_t h;
    ach_status_t status;

    while ((status = handshake_next(c, &h, body, size)) == ACH_OK &&
           !handshake_is_answer(&h, subtype, sequence)) {
        if (h.address.interf == ACH_PLAYER_CODE && h.subtype == TCP_REQ_ROUTE &&
            h.type == ACH_MSG_NACK)
            tcp_wire_text(*body, *size, c->why, sizeof(c->why));
        else if (h.address.interf == ACH_PLAYER_CODE && h.subtype == TCP_REQ_RIGHTS &&
                 h.type == ACH_MSG_ACK)
            take_rights(c, *body, *size);
        else if (c->other)
            c->other(c->context, &h, *body, *size);
    }
    if (status != ACH_OK || h.type == ACH_MSG_ACK)
        return status;
    /* Player's server: only a request for a device that it does not have is refused with a body. */
    if (subtype == ACH_PLAYER_REQ_DEV && *size && !*c->why)
        return handshake_fail(c, ACH_ENOENT, "it has no such device, or cannot set it up");
    return handshake_fail(c, ACH_EACCES, refusal(c));
}

ach_status_t tcp_handshake_request(struct tcp_handshake *c, uint8_t subtype, const void *body,
                                   const unsigned char **answer, size_t *size)
{
    const ach_message_def_t *def =
        ach_interface_message(&ach_player_interface, ACH_MSG_REQ, subtype);
    unsigned char bytes[256];
    ach_status_t status;
    size_t n = 0;

    if (body) {
        status = ach_encode(def->body, body, bytes, sizeof(bytes), &n);
        if (status != ACH_OK)
            return status;
    }
    status = tcp_handshake_ask(c, subtype, 0, bytes, n);
    return status == ACH_OK ? tcp_handshake_answer(c, subtype, 0, answer, size) : status;
}

ach_status_t tcp_handshake_tell_route(struct tcp_handshake *c)
{
    unsigned char bytes[ACH_ROUTE_MAX + 16];
    size_t n = tcp_wire_string(ach_route(), bytes, sizeof(bytes));

    if (!n)
        return ach_errstr_set(ACH_OVERFLOW,
                              "the chain of robots that require each other is too long");
    return tcp_handshake_ask(c, TCP_REQ_ROUTE, 0, bytes, n);
}

ach_status_t tcp_handshake_introduce(struct tcp_handshake *c)
{
    const char *secret = getenv("ACH_SECRET");
    const unsigned char *answer;
    ach_player_auth_req_t body;
    ach_status_t status;
    size_t size;

    if (!secret || !*secret)
        return ACH_OK;
    if (strlen(secret) > ACH_PLAYER_MAX_KEY)
        return handshake_fail(c, ACH_EINVAL, "the secret in ACH_SECRET is too long");
    status = tcp_secret_may_show(c->stream.fd);
    if (status != ACH_OK)
        return handshake_fail(c, status, ach_errstr());
    body.auth_key = (uint8_t *)(uintptr_t)secret;
    body.auth_key_count = (uint32_t)strlen(secret);
    status = tcp_handshake_request(c, ACH_PLAYER_REQ_AUTH, &body, &answer, &size);
    c->secret = status == ACH_OK ? TCP_SECRET_RIGHT : TCP_SECRET_WRONG;
    return status == ACH_EACCES ? ACH_OK : status; /* a server without a secret NACKs any */
}
