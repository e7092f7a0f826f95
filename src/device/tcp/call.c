/* SPDX-License-Identifier: BSD-3-Clause */
#include "call.h"

#include <ach.h>
#include <ach/access.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "dial.h"
#include "secret.h"
#include "wire.h"

#define BUFFER 65536u

static ach_status_t fail(const struct achi_call *c, ach_status_t status, const char *what)
{
    return ach_errstr_set(status, "%s: %s", c->name, what);
}

static ach_status_t await(struct achi_call *c, short events)
{
    return achi_dial_wait(c->fd, events, c->until) ? ACH_OK
                                                   : fail(c, ACH_TIMEOUT, "it does not answer");
}

static ach_status_t send_all(struct achi_call *c, const unsigned char *bytes, size_t n)
{
    while (n) {
        ssize_t sent = send(c->fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (sent < 0 && errno == EAGAIN) {
            ach_status_t status = await(c, POLLOUT);

            if (status != ACH_OK)
                return status;
        } else if (sent < 0 && errno != EINTR) {
            return fail(c, ACH_CLOSED, strerror(errno));
        } else if (sent > 0) {
            bytes += sent;
            n -= (size_t)sent;
        }
    }
    return ACH_OK;
}

/* *n: at least one byte. Past the time limit, only what has already come is read, and only once. */
static ach_status_t receive(struct achi_call *c, void *to, size_t room, size_t *n)
{
    if (c->late)
        return fail(c, ACH_TIMEOUT, "it does not answer");
    c->late = achi_dial_now() >= c->until;
    for (;;) {
        ssize_t got = recv(c->fd, to, room, MSG_DONTWAIT);

        if (got > 0) {
            *n = (size_t)got;
            return ACH_OK;
        }
        if (got == 0)
            return fail(c, ACH_CLOSED, "it closed the connection");
        if (errno == EAGAIN) {
            ach_status_t status = await(c, POLLIN);

            if (status != ACH_OK)
                return status;
        } else if (errno != EINTR) {
            return fail(c, ACH_CLOSED, strerror(errno));
        }
    }
}

static ach_status_t read_greeting(struct achi_call *c)
{
    char text[ACHI_GREETING_SIZE];
    size_t n = 0, more = 0;

    while (n < sizeof(text)) {
        ach_status_t status = receive(c, text + n, sizeof(text) - n, &more);

        if (status != ACH_OK)
            return status;
        n += more;
    }
    if (memcmp(text, ACHI_GREETING, strlen(ACHI_GREETING)) != 0)
        return fail(c, ACH_CORRUPT, "that is no server of devices");
    return ACH_OK;
}

ach_status_t achi_call_begin(struct achi_call *c, const ach_place_t *place, double timeout)
{
    ach_status_t status;

    memset(c, 0, sizeof(*c));
    c->fd = -1;
    c->rights = ACH_RIGHT_ALL;
    c->until = achi_dial_now() + timeout;
    achi_input_init(&c->input, ACH_BODY_MAX);
    achi_dial_name(place, c->name, sizeof(c->name));
    c->buffer = malloc(BUFFER);
    if (!c->buffer)
        return fail(c, ACH_FAILED_SYSCALL, "no memory");
    status = achi_dial(place, c->until, &c->fd);
    if (status != ACH_OK)
        return fail(c, status, ach_errstr());
    return read_greeting(c);
}

void achi_call_end(struct achi_call *c)
{
    if (c->fd >= 0)
        close(c->fd);
    achi_input_finish(&c->input);
    free(c->buffer);
}

ach_status_t achi_call_ask(struct achi_call *c, uint8_t subtype, uint32_t sequence,
                           const void *bytes, size_t size)
{
    const ach_header_t h = {.address = {.interf = ACH_PLAYER_CODE},
                            .type = ACH_MSG_REQ,
                            .subtype = subtype,
                            .sequence = sequence};
    unsigned char message[ACH_FRAME_HEADER + ACH_ROUTE_MAX + 64];

    if (size > sizeof(message) - ACH_FRAME_HEADER)
        return fail(c, ACH_OVERFLOW, "too long a request");
    ach_frame_write(&h, (uint32_t)size, message);
    if (size)
        memcpy(message + ACH_FRAME_HEADER, bytes, size);
    return send_all(c, message, ACH_FRAME_HEADER + size);
}

/* The next message, whatever it is. */
static ach_status_t next(struct achi_call *c, ach_header_t *h, const unsigned char **body,
                         size_t *size)
{
    ach_status_t status;

    while ((status = achi_input_next(&c->input, h, body, size)) == ACH_EAGAIN) {
        size_t n;

        status = achi_input_keep(&c->input);
        if (status == ACH_OK)
            status = receive(c, c->buffer, BUFFER, &n);
        if (status == ACH_OK)
            status = achi_input_feed(&c->input, c->buffer, n);
        if (status != ACH_OK)
            return status;
    }
    return status == ACH_OK ? ACH_OK : fail(c, status, ach_errstr());
}

/* Servers answer what is asked of them in order; some with the sequence 0. */
static bool is_answer(const ach_header_t *h, uint8_t subtype, uint32_t sequence)
{
    return h->address.interf == ACH_PLAYER_CODE && h->subtype == subtype &&
           (h->type == ACH_MSG_ACK || h->type == ACH_MSG_NACK) &&
           (h->sequence == sequence || h->sequence == 0);
}

/* Who has not shown the secret is refused without a reason. */
static const char *refusal(const struct achi_call *c)
{
    static const char *const guesses[] = {
        [ACHI_SECRET_NONE] = "it refuses; it may want a secret, in ACH_SECRET",
        [ACHI_SECRET_WRONG] = "it refuses; the secret in ACH_SECRET may be wrong",
        [ACHI_SECRET_RIGHT] = "it refuses"};

    return *c->why ? c->why : guesses[c->secret];
}

static void take_rights(struct achi_call *c, const unsigned char *body, size_t size)
{
    if (size > 4 && achi_wire_text(body + 4, size - 4, c->limits, sizeof(c->limits)))
        c->rights = achi_wire_number(body) & ACH_RIGHT_ALL;
}

ach_status_t achi_call_answer(struct achi_call *c, uint8_t subtype, uint32_t sequence,
                              const unsigned char **body, size_t *size)
{
    ach_header_t h;
    ach_status_t status;

    while ((status = next(c, &h, body, size)) == ACH_OK && !is_answer(&h, subtype, sequence)) {
        if (h.address.interf == ACH_PLAYER_CODE && h.subtype == ACHI_REQ_ROUTE &&
            h.type == ACH_MSG_NACK)
            achi_wire_text(*body, *size, c->why, sizeof(c->why));
        else if (h.address.interf == ACH_PLAYER_CODE && h.subtype == ACHI_REQ_RIGHTS &&
                 h.type == ACH_MSG_ACK)
            take_rights(c, *body, *size);
        else if (c->other)
            c->other(c->context, &h, *body, *size);
    }
    if (status != ACH_OK || h.type == ACH_MSG_ACK)
        return status;
    return fail(c, ACH_EACCES, refusal(c));
}

ach_status_t achi_call_request(struct achi_call *c, uint8_t subtype, const void *body,
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
    status = achi_call_ask(c, subtype, 0, bytes, n);
    return status == ACH_OK ? achi_call_answer(c, subtype, 0, answer, size) : status;
}

ach_status_t achi_call_tell_route(struct achi_call *c)
{
    unsigned char bytes[ACH_ROUTE_MAX + 16];
    size_t n = achi_wire_string(ach_route(), bytes, sizeof(bytes));

    if (!n)
        return ach_errstr_set(ACH_OVERFLOW, "too many robots require each other in a row");
    return achi_call_ask(c, ACHI_REQ_ROUTE, 0, bytes, n);
}

ach_status_t achi_call_introduce(struct achi_call *c)
{
    const char *secret = getenv("ACH_SECRET");
    const unsigned char *answer;
    ach_player_auth_req_t body;
    ach_status_t status;
    size_t size;

    if (!secret || !*secret)
        return ACH_OK;
    if (strlen(secret) > ACH_PLAYER_MAX_KEY)
        return fail(c, ACH_EINVAL, "the secret in ACH_SECRET is too long");
    status = achi_secret_may_show(c->fd);
    if (status != ACH_OK)
        return fail(c, status, ach_errstr());
    body.auth_key = (uint8_t *)(uintptr_t)secret;
    body.auth_key_count = (uint32_t)strlen(secret);
    status = achi_call_request(c, ACH_PLAYER_REQ_AUTH, &body, &answer, &size);
    c->secret = status == ACH_OK ? ACHI_SECRET_RIGHT : ACHI_SECRET_WRONG;
    return status == ACH_EACCES ? ACH_OK : status; /* a server without a secret refuses any */
}
