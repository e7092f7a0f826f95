/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <ach.h>
#include <ach/interface/common.h>
#include <stdio.h>

/* Requests of a client wait while its answers hold more than 1/ANSWERS_PART of its memory. */
#define ANSWERS_PART 4u

/* First estimate of an answer of variable length: 1/GUESS_PART of answers_max. */
#define GUESS_PART 4u

/* Messages up to this size are not held back when memory is scarce. */
#define SMALL 4096u

/* A client that holds fewer bytes is not disconnected to free memory. */
#define MUCH 65536u

/* Seconds for which a client may hold MUCH before it is disconnected; longer if it is starved. */
#define PATIENCE 10
#define PATIENCE_STARVED 30

/* Limit of clients disconnected in one tick. */
#define DISCONNECT_MAX 8

/* Bytes received at once from a stranger: enough for the secret. */
#define STRANGER_BYTES 512u

/* One call receives at most 1/RECEIVE_PART of the memory that is left. */
#define RECEIVE_PART 64u

static size_t answers_max(const struct tcp_session *s)
{
    size_t one = (size_t)s->server->options.client_memory;
    size_t half = (size_t)s->server->options.memory / 2;

    return (one < half ? one : half) / ANSWERS_PART;
}

void tcp_memory_begin(struct tcp_session *s)
{
    s->guess = answers_max(s) / GUESS_PART;
}

static ach_queue_usage_t usage_of(const struct tcp_session *s)
{
    ach_queue_usage_t u = {.size = sizeof(u)};

    ach_queue_usage(s->queue, &u);
    return u;
}

/* Whether the answer has variable length. Its body has the same type as the request's. */
static bool is_large(const ach_header_t *h)
{
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), ACH_MSG_REQ, h->subtype);

    return h->address.interf != ACH_PLAYER_CODE && h->subtype != ACH_REQ_FLUSH && def &&
           def->body && !def->body->fixed;
}

void tcp_memory_asked(struct tcp_session *s, const ach_header_t *h)
{
    s->large += h->type == ACH_MSG_REQ && is_large(h);
}

/* Estimate the largest recent answer: a smaller one at most halves the guess. */
void tcp_memory_answered(struct tcp_session *s, const ach_message_t *m)
{
    size_t size;

    if (!is_large(ach_message_header(m)))
        return;
    s->large--;
    ach_message_bytes(m, &size);
    s->guess = size > s->guess / 2 ? size : s->guess / 2;
}

/* One request is always allowed: the queue's limit bounds its answer. */
static bool has_room_for_answer(const struct tcp_session *s, const ach_header_t *h)
{
    ach_queue_usage_t u = usage_of(s);
    size_t waiting = u.answers + u.requests + s->output.bytes;
    size_t under_way = (size_t)s->large + is_large(h);

    return (!s->large && !u.answers) || waiting + under_way * s->guess <= answers_max(s);
}

/* Commands need no room for an answer, so they are not held back: one may be a stop. */
bool tcp_memory_may_take(struct tcp_session *s)
{
    ach_header_t h;
    uint32_t size;

    s->starved = false;
    if (!tcp_input_peek(&s->input, &h, &size))
        return true;
    s->starved = size > SMALL && size > ach_budget_left(s->server->budget) / 2;
    return !s->starved && (h.type != ACH_MSG_REQ || has_room_for_answer(s, &h));
}

size_t tcp_memory_may_receive(struct tcp_session *s)
{
    size_t left = ach_budget_left(s->server->budget);

    s->starved = s->input.left > SMALL && s->input.left > left;
    if (s->starved)
        return 0;
    if (!s->trusted)
        return STRANGER_BYTES;
    left /= RECEIVE_PART;
    return left < SMALL ? SMALL : left < TCP_LOOP_BUFFER ? left : TCP_LOOP_BUFFER;
}

static bool scarce(const struct tcp_server *server)
{
    return ach_budget_left(server->budget) < (size_t)server->options.memory / 2;
}

static void tell_refused(struct tcp_session *s)
{
    ach_queue_usage_t u = usage_of(s);

    if (u.refused == s->refused_answers)
        return;
    s->refused_answers = u.refused;
    ach_robot_log(s->server->robot, ACH_LOG_WARNING,
                  "client %s: %llu answers were replaced by NACKs, because %zu bytes wait for it",
                  s->name, (unsigned long long)u.refused, u.bytes + u.requests);
}

void tcp_memory_watch(struct tcp_session *s)
{
    tell_refused(s);
    if (s->starved || scarce(s->server))
        tcp_loop_set_ticking(s->server->loop, true);
}

static size_t held_by(const struct tcp_session *s)
{
    ach_queue_usage_t u = usage_of(s);

    return u.bytes + u.requests + s->output.bytes + s->input.room +
           __atomic_load_n(&s->openings, __ATOMIC_RELAXED);
}

/* Seconds of scarcity for which it has held MUCH, and has moved fewer bytes than it holds. */
static long age_of_hold(struct tcp_session *s, size_t held, long now)
{
    uint64_t moved = s->taken + s->output.total;

    if (held < MUCH || moved - s->moved >= held) {
        s->moved = moved;
        s->held_since = now;
    }
    return now -
           (s->held_since > s->server->scarce_since ? s->held_since : s->server->scarce_since);
}

/* The session that holds the most, of those that have held MUCH for too long; NULL: none. */
static struct tcp_session *find_holder(struct tcp_server *server, size_t *most)
{
    struct tcp_session *s, *found = NULL;
    long now = tcp_loop_seconds();

    *most = MUCH;
    for (s = server->sessions; s; s = s->next) {
        size_t held = held_by(s);
        long age = age_of_hold(s, held, now);

        if (held > *most && age >= (s->starved ? PATIENCE_STARVED : PATIENCE)) {
            *most = held;
            found = s;
        }
    }
    return found;
}

/* False: no session has held too much for too long. */
static bool disconnect_holder(struct tcp_server *server)
{
    size_t held;
    struct tcp_session *s = find_holder(server, &held);
    char why[128];

    if (!s)
        return false;
    snprintf(why, sizeof(why), "the server holds %zu bytes for it, and other clients need memory",
             held);
    ach_robot_log(server->robot, ACH_LOG_WARNING, "client %s is disconnected: %s", s->name, why);
    tcp_session_close(s, why);
    return true;
}

void tcp_memory_relieve(struct tcp_server *server)
{
    int n = DISCONNECT_MAX;
    struct tcp_session *s;
    bool starved = false;

    if (!server->loop->hurry) /* memory was not scarce at the last tick */
        server->scarce_since = tcp_loop_seconds();
    while (n-- && scarce(server) && disconnect_holder(server))
        ;
    for (s = server->sessions; s; s = s->next) {
        if (!s->starved)
            continue;
        starved = true;
        tcp_loop_mark(&s->peer);
    }
    server->loop->hurry = starved || scarce(server);
}
