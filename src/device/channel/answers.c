/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * answers.c - answers on their way into their channel
 *
 * The channel has one writer, the server. But a process that may write its file can hold its
 * lock, and be stopped meanwhile: then answers wait, and are put when the lock is free again. One
 * that cannot be put at all is dropped, counted and logged; its client's request times out.
 */
#include <string.h>

#include "../core/bell.h"
#include "server.h"

/* Answers that wait at most. */
#define LATE_MAX 4096u

/* How often to look whether a lock is free, in seconds. */
#define LOOK_SECONDS 0.01

bool achi_channels_doubled(uint64_t before, uint64_t now)
{
    uint64_t step = 1;

    while (step <= before)
        step *= 2;
    return now >= step;
}

static void drop(struct ach_channels *s)
{
    __atomic_add_fetch(&s->dropped, 1, __ATOMIC_RELAXED);
    achi_channels_wake(s);
}

void achi_answers_add(struct ach_channels *s, const ach_header_t *h, const void *bytes, size_t size)
{
    ach_message_t *m;

    if (ach_queue_length(s->out) >= LATE_MAX || ach_message_wrap(h, bytes, size, &m) != ACH_OK) {
        drop(s);
        return;
    }
    if (ach_queue_push(s->out, m) != ACH_OK)
        drop(s);
    ach_message_unref(m);
}

static ach_status_t put(struct ach_channels *s, const ach_header_t *h, const void *bytes,
                        size_t size)
{
    unsigned char *room;
    ach_status_t status;
    void *p;

    status = ach_reserve(&s->ans, ACH_FRAME_HEADER + size, &p);
    if (status != ACH_OK)
        return status;
    room = p;
    ach_frame_write(h, (uint32_t)size, room);
    if (size)
        memcpy(room + ACH_FRAME_HEADER, bytes, size);
    return ach_commit(&s->ans, ACH_FRAME_HEADER + size);
}

/* What is too long for its channel becomes a refusal. */
static ach_status_t put_answer(struct ach_channels *s, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);
    ach_status_t status = put(s, &h, bytes, size);

    if (status != ACH_OVERFLOW || !size)
        return status;
    ach_robot_log(s->robot, ACH_LOG_WARNING, "an answer of %zu bytes is too long for its channel",
                  size);
    h.type = ACH_MSG_NACK;
    return put(s, &h, NULL, 0);
}

static void say_dropped(struct ach_channels *s, const char *why)
{
    uint64_t dropped = __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);

    if (!achi_channels_doubled(s->dropped_told, dropped))
        return;
    s->dropped_told = dropped;
    ach_robot_log(s->robot, ACH_LOG_WARNING, "%llu answers could not be put into their channel: %s",
                  (unsigned long long)dropped, why);
}

/* A put takes the time limit of the channel's lock if that is held, which is short. */
bool achi_answers_send(struct ach_channels *s)
{
    ach_status_t status = ACH_OK;

    say_dropped(s, "too many wait for its lock");
    while (s->stuck || (s->stuck = ach_queue_pop(s->out))) {
        status = put_answer(s, s->stuck);
        if (status == ACH_LOCKED)
            return false;
        ach_message_unref(s->stuck);
        s->stuck = NULL;
        if (status != ACH_OK) {
            drop(s);
            say_dropped(s, ach_result_to_string(status));
        }
    }
    return true;
}

void achi_answers_finish(struct ach_channels *s, double seconds)
{
    double until = achi_monotonic() + seconds;
    uint64_t left = 0;
    ach_message_t *m;

    while (!achi_answers_send(s) && achi_monotonic() < until)
        achi_bell_wait(s->wake, achi_monotonic() + LOOK_SECONDS);
    for (m = s->stuck; m; m = ach_queue_pop(s->out), left++)
        ach_message_unref(m);
    s->stuck = NULL;
    if (left)
        ach_robot_log(s->robot, ACH_LOG_WARNING,
                      "%llu answers could not be put into their channel: its lock is held",
                      (unsigned long long)left);
}
