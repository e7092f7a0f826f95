/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <ach.h>
#include <stdio.h>

/* Of what one client may hold, this part may be answers, before no more requests are taken. */
#define ANSWERS_PART 4u

/* Answers that may be large are taken to be this part of that, until some have come. */
#define GUESS_PART 4u

/* Messages up to this size are always taken. */
#define SMALL 4096u

/* A client that holds less is not disconnected for it. */
#define MUCH 65536u

/* Nor is one that has held much for fewer seconds; more if it waits for others to hold less. */
#define PATIENCE 10
#define PATIENCE_STARVED 30

/* Clients that are disconnected in one tick. */
#define DISCONNECT_MAX 8

/* Of a stranger: it needs room for the secret. */
#define STRANGER_BYTES 512u

/* Of what is left, the part that one call receives. */
#define RECEIVE_PART 64u

static size_t answers_max(const struct achi_session *s)
{
    size_t one = (size_t)s->server->options.client_memory;
    size_t half = (size_t)s->server->options.memory / 2;

    return (one < half ? one : half) / ANSWERS_PART;
}

void achi_memory_begin(struct achi_session *s)
{
    s->guess = answers_max(s) / GUESS_PART;
}

static ach_queue_usage_t usage_of(const struct achi_session *s)
{
    ach_queue_usage_t u = {.size = sizeof(u)};

    ach_queue_usage(s->queue, &u);
    return u;
}

/* Whether the answer has no fixed length. It has the body that the request has. */
static bool is_large(const ach_header_t *h)
{
    const ach_message_def_t *def =
        ach_interface_message(ach_interface_by_code(h->address.interf), ACH_MSG_REQ, h->subtype);

    return h->address.interf != ACH_PLAYER_CODE && def && def->body && !def->body->fixed;
}

void achi_memory_asked(struct achi_session *s, const ach_header_t *h)
{
    s->large += h->type == ACH_MSG_REQ && is_large(h);
}

/* The largest of late: the guess falls by half with each that is smaller. */
void achi_memory_answered(struct achi_session *s, const ach_message_t *m)
{
    size_t size;

    if (!is_large(ach_message_header(m)))
        return;
    s->large--;
    ach_message_bytes(m, &size);
    s->guess = size > s->guess / 2 ? size : s->guess / 2;
}

/* One request is always taken: the queue's limit bounds its answer. */
static bool has_room_for_answer(const struct achi_session *s, const ach_header_t *h)
{
    ach_queue_usage_t u = usage_of(s);
    size_t waiting = u.answers + u.requests + s->output.bytes;
    size_t under_way = (size_t)s->large + is_large(h);

    return (!s->large && !u.answers) || waiting + under_way * s->guess <= answers_max(s);
}

/* A command has no answer; it may be the one to stop. */
bool achi_memory_may_take(struct achi_session *s)
{
    ach_header_t h;
    uint32_t size;

    s->starved = false;
    if (!achi_input_peek(&s->input, &h, &size))
        return true;
    s->starved = size > SMALL && size > ach_budget_left(s->server->budget) / 2;
    return !s->starved && (h.type != ACH_MSG_REQ || has_room_for_answer(s, &h));
}

size_t achi_memory_may_receive(struct achi_session *s)
{
    size_t left = ach_budget_left(s->server->budget);

    s->starved = s->input.left > SMALL && s->input.left > left;
    if (s->starved)
        return 0;
    if (!s->trusted)
        return STRANGER_BYTES;
    left /= RECEIVE_PART;
    return left < SMALL ? SMALL : left < ACHI_LOOP_BUFFER ? left : ACHI_LOOP_BUFFER;
}

static bool scarce(const struct achi_server *server)
{
    return ach_budget_left(server->budget) < (size_t)server->options.memory / 2;
}

static void tell_refused(struct achi_session *s)
{
    ach_queue_usage_t u = usage_of(s);

    if (u.refused == s->refused_answers)
        return;
    s->refused_answers = u.refused;
    ach_robot_log(s->server->robot, ACH_LOG_WARNING,
                  "client %s: %llu answers were replaced by NACKs, because %zu bytes wait for it",
                  s->name, (unsigned long long)u.refused, u.bytes + u.requests);
}

void achi_memory_watch(struct achi_session *s)
{
    tell_refused(s);
    if (s->starved || scarce(s->server))
        achi_server_tick(s->server);
}

static size_t held_by(const struct achi_session *s)
{
    ach_queue_usage_t u = usage_of(s);

    return u.bytes + u.requests + s->output.bytes + s->input.room +
           __atomic_load_n(&s->openings, __ATOMIC_RELAXED);
}

/* Seconds for which it has held much, and moved less than that. */
static long age_of_hold(struct achi_session *s, size_t held, long now)
{
    uint64_t moved = s->taken + s->output.total;

    if (held < MUCH || moved - s->moved >= held) {
        s->moved = moved;
        s->held_since = now;
    }
    return now -
           (s->held_since > s->server->scarce_since ? s->held_since : s->server->scarce_since);
}

/* Who holds the most of those that have held much for long; NULL: nobody. */
static struct achi_session *find_holder(struct achi_server *server, size_t *most)
{
    struct achi_session *s, *found = NULL;
    long now = achi_server_seconds();

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

/* False: there is none. */
static bool disconnect_holder(struct achi_server *server)
{
    size_t held;
    struct achi_session *s = find_holder(server, &held);
    char why[128];

    if (!s)
        return false;
    snprintf(why, sizeof(why), "it made the server hold %zu bytes, and others need memory", held);
    ach_robot_log(server->robot, ACH_LOG_WARNING, "client %s is disconnected: %s", s->name, why);
    achi_session_close(s, why);
    return true;
}

void achi_memory_relieve(struct achi_server *server)
{
    int n = DISCONNECT_MAX;
    struct achi_session *s;
    bool starved = false;

    if (!server->loop->hurry) /* nobody was watched before */
        server->scarce_since = achi_server_seconds();
    while (n-- && scarce(server) && disconnect_holder(server))
        ;
    for (s = server->sessions; s; s = s->next) {
        if (!s->starved)
            continue;
        starved = true;
        achi_loop_mark(&s->peer);
    }
    server->loop->hurry = starved || scarce(server);
}
