/* SPDX-License-Identifier: BSD-3-Clause */
/* poll.c - channels without a thread: the host of the robot polls them */
#include <ach/channel.h>

#include "../../util/monotonic.h"
#include "../core/wakeup.h"
#include "server.h"

/* Seconds between polls of the lock of the answers' channel. */
#define LATE_SECONDS 0.01

ach_status_t ach_channels_serve(ach_robot_t *robot, ach_section_t *options,
                                ach_channels_t **channels)
{
    ach_status_t status = devch_channels_open(robot, options, channels);

    if (status == ACH_OK)
        __atomic_store_n(&(*channels)->quiet, true, __ATOMIC_SEQ_CST);
    return status;
}

static bool under_way(const struct ach_channels *s)
{
    return s->pending.n || __atomic_load_n(&s->opening, __ATOMIC_SEQ_CST);
}

/* On the wall's clock nobody knows when drivers have done their work, but answers ring the bell. */
static ach_status_t listen(struct ach_channels *s, double seconds)
{
    double until = monotonic_seconds() + seconds;
    ach_status_t status = ACH_OK;

    __atomic_store_n(&s->quiet, false, __ATOMIC_SEQ_CST);
    for (;;) {
        bool done = !under_way(s); /* before the last answers are sent */

        dev_wakeup_clear(s->wake);
        devch_channels_pass_answers(s);
        if (devch_answers_send(s) && done)
            break;
        if (monotonic_seconds() >= until) {
            status = ach_errstr_set(ACH_TIMEOUT, "%u requests have no answer after %g s",
                                    s->pending.n + __atomic_load_n(&s->opening, __ATOMIC_SEQ_CST),
                                    seconds);
            break;
        }
        dev_wakeup_wait(s->wake, s->stuck ? monotonic_seconds() + LATE_SECONDS : until);
    }
    __atomic_store_n(&s->quiet, true, __ATOMIC_SEQ_CST);
    return status;
}

/* An answer that drivers which have done their work did not give comes at a later time. */
static ach_status_t poll_await(struct ach_channels *s, double seconds)
{
    ach_status_t status = ach_robot_settle(s->robot, seconds);

    if (status == ACH_ENOTSUP)
        return listen(s, seconds);
    devch_channels_pass_answers(s);
    devch_answers_send(s);
    return status;
}

/* Commands first: a client that unsubscribes has put its commands before that request. */
ach_status_t ach_channels_poll(ach_channels_t *channels, double seconds)
{
    unsigned taken;
    size_t i;

    for (i = 0; i < channels->n_outputs; i++)
        devch_channels_take_commands(channels, &channels->outputs[i], DEVCH_CMD_COUNT);
    taken = devch_channels_take_requests(channels, DEVCH_REQ_COUNT);
    devch_channels_pass_answers(channels);
    devch_answers_send(channels);
    devch_channels_say(channels);
    return taken && under_way(channels) ? poll_await(channels, seconds) : ACH_OK;
}

void ach_channels_end(ach_channels_t *channels)
{
    if (channels)
        devch_channels_close(channels);
}
