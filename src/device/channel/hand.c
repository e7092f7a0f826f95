/* SPDX-License-Identifier: BSD-3-Clause */
/* hand.c - channels without a thread: who hosts the robot says when they are looked at */
#include <ach/channel.h>

#include "../core/bell.h"
#include "server.h"

/* How often to look whether the lock of the answers' channel is free. */
#define LATE_SECONDS 0.01

ach_status_t ach_channels_serve(ach_robot_t *robot, ach_section_t *options,
                                ach_channels_t **channels)
{
    ach_status_t status = achi_channels_open(robot, options, channels);

    if (status == ACH_OK)
        __atomic_store_n(&(*channels)->quiet, true, __ATOMIC_SEQ_CST);
    return status;
}

static bool under_way(const struct ach_channels *s)
{
    return s->n_asked || __atomic_load_n(&s->opening, __ATOMIC_SEQ_CST);
}

/* On the wall's clock nobody knows when drivers have done their work, but answers ring the bell. */
static ach_status_t listen(struct ach_channels *s, double seconds)
{
    double until = achi_monotonic() + seconds;
    ach_status_t status = ACH_OK;

    __atomic_store_n(&s->quiet, false, __ATOMIC_SEQ_CST);
    for (;;) {
        bool done = !under_way(s); /* before the last answers are sent */

        achi_bell_clear(s->wake);
        achi_channels_pass_answers(s);
        if (achi_answers_send(s) && done)
            break;
        if (achi_monotonic() >= until) {
            status = ach_errstr_set(ACH_TIMEOUT, "%u requests have no answer after %g s",
                                    s->n_asked + __atomic_load_n(&s->opening, __ATOMIC_SEQ_CST),
                                    seconds);
            break;
        }
        achi_bell_wait(s->wake, s->stuck ? achi_monotonic() + LATE_SECONDS : until);
    }
    __atomic_store_n(&s->quiet, true, __ATOMIC_SEQ_CST);
    return status;
}

/* An answer that drivers which have done their work did not give comes at a later time. */
static ach_status_t await(struct ach_channels *s, double seconds)
{
    ach_status_t status = ach_robot_settle(s->robot, seconds);

    if (status == ACH_ENOTSUP)
        return listen(s, seconds);
    achi_channels_pass_answers(s);
    achi_answers_send(s);
    return status;
}

/* Commands first: who is going to leave has put his before. */
ach_status_t ach_channels_poll(ach_channels_t *channels, double seconds)
{
    unsigned taken;
    size_t i;

    for (i = 0; i < channels->n_outputs; i++)
        achi_channels_take_commands(channels, &channels->outputs[i], ACHI_CMD_COUNT);
    taken = achi_channels_take_requests(channels, ACHI_REQ_COUNT);
    achi_channels_pass_answers(channels);
    achi_answers_send(channels);
    achi_channels_say(channels);
    return taken && under_way(channels) ? await(channels, seconds) : ACH_OK;
}

void ach_channels_end(ach_channels_t *channels)
{
    if (channels)
        achi_channels_close(channels);
}
