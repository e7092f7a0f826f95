/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * answers.c - answers on their way into their channel
 *
 * The channel has one writer, the server. But a process that may write its file can take its
 * lock and be stopped while it holds it. Then answers wait, and are put when the lock is free
 * again. An answer that cannot be put at all is dropped, counted and logged; the client's request
 * times out.
 */
#include <string.h>

#include "../../util/monotonic.h"
#include "../core/wakeup.h"
#include "server.h"

/* Limit of waiting answers. */
#define LATE_MAX 4096u

/* Seconds between polls of the channel's lock. */
#define LOOK_SECONDS 0.01

bool devch_channels_doubled(uint64_t before, uint64_t now)
{
    uint64_t step = 1;

    while (step <= before)
        step *= 2;
    return now >= step;
}

static void drop(struct ach_channels *s)
{
    __atomic_add_fetch(&s->dropped, 1, __ATOMIC_RELAXED);
    devch_channels_wake(s);
}

void devch_answers_add(struct ach_channels *s, const ach_header_t *h, const void *bytes,
                       size_t size)
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

static ach_status_t answers_put(struct ach_channels *s, const ach_header_t *h, const void *bytes,
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

/* An answer that is too long for the channel is replaced by a NACK. */
static ach_status_t put_answer(struct ach_channels *s, const ach_message_t *m)
{
    ach_header_t h = *ach_message_header(m);
    size_t size;
    const void *bytes = ach_message_bytes(m, &size);
    ach_status_t status = answers_put(s, &h, bytes, size);

    if (status != ACH_OVERFLOW || !size)
        return status;
    ach_robot_log(s->robot, ACH_LOG_WARNING, "an answer of %zu bytes is too long for its channel",
                  size);
    h.type = ACH_MSG_NACK;
    return answers_put(s, &h, NULL, 0);
}

static void say_dropped(struct ach_channels *s, const char *why)
{
    uint64_t dropped = __atomic_load_n(&s->dropped, __ATOMIC_RELAXED);

    if (!devch_channels_doubled(s->dropped_told, dropped))
        return;
    s->dropped_told = dropped;
    ach_robot_log(s->robot, ACH_LOG_WARNING, "%llu answers could not be put into their channel: %s",
                  (unsigned long long)dropped, why);
}

/* While the lock is held, a put blocks for its timeout, which is short (LOCK_NS in outputs.c). */
bool devch_answers_send(struct ach_channels *s)
{
    ach_status_t status = ACH_OK;

    say_dropped(s, "too many answers wait for its lock");
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

void devch_answers_finish(struct ach_channels *s, double seconds)
{
    double until = monotonic_seconds() + seconds;
    uint64_t left = 0;
    ach_message_t *m;

    while (!devch_answers_send(s) && monotonic_seconds() < until)
        dev_wakeup_wait(s->wake, monotonic_seconds() + LOOK_SECONDS);
    for (m = s->stuck; m; m = ach_queue_pop(s->out), left++)
        ach_message_unref(m);
    s->stuck = NULL;
    if (left)
        ach_robot_log(s->robot, ACH_LOG_WARNING,
                      "%llu answers could not be put into their channel: its lock is held",
                      (unsigned long long)left);
}
