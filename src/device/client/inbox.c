/* SPDX-License-Identifier: BSD-3-Clause */
#include "inbox.h"

#include <ach.h>
#include <ach/interface/player.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"
#include "../core/wakeup.h"

/* An answer later than this is not expected any more. */
#define FORGET_SECONDS 60.0

static void wake(void *inbox)
{
    dev_wakeup_signal(((const struct devcl_inbox *)inbox)->fd);
}

ach_status_t devcl_inbox_init(struct devcl_inbox *in, unsigned messages)
{
    ach_status_t status;

    memset(in, 0, sizeof(*in));
    in->waited = -1;
    in->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (in->fd < 0)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no eventfd: %s", strerror(errno));
    status = ach_queue_create(messages, 0, wake, in, &in->queue);
    if (status == ACH_OK)
        status = ach_queue_create(messages, 0, NULL, NULL, &in->data);
    if (status != ACH_OK)
        devcl_inbox_finish(in);
    return status;
}

void devcl_inbox_finish(struct devcl_inbox *in)
{
    ach_queue_close(in->queue);
    ach_queue_close(in->data);
    close(in->fd);
}

/* Handle a SYNCH: the connection was lost, or the server dropped messages. */
static void hear_synch(struct devcl_inbox *in, const ach_message_t *m)
{
    const ach_player_overflow_t *lost = ach_message_body(m);

    if (ach_message_header(m)->subtype == 0)
        in->closed = true;
    else if (ach_message_header(m)->subtype == ACH_PLAYER_SYNCH_OVERFLOW && lost)
        in->lost_before += lost->value;
}

/* Whether this is the answer to the awaited request. */
static bool answers(struct devcl_inbox *in, const ach_header_t *h)
{
    if (h->type != ACH_MSG_ACK && h->type != ACH_MSG_NACK)
        return false;
    if (h->sequence)
        return in->waited >= 0 && h->sequence == in->sequence;
    if (!in->late[h->subtype])
        return in->waited == h->subtype;
    in->late[h->subtype]--;
    return false;
}

/*
 * The eventfd is read before the queue: a later message makes it readable again. A message
 * that was queued behind another one did not; then it is made readable here.
 */
static ach_message_t *inbox_next(struct devcl_inbox *in)
{
    ach_message_t *m = ach_queue_pop(in->queue);

    if (m)
        return m;
    dev_wakeup_clear(in->fd);
    m = ach_queue_pop(in->queue);
    if (ach_queue_length(in->queue))
        wake(in);
    return m;
}

/*
 * The next data among the messages that are there now: a server may send other messages
 * faster than they are taken out, and the caller has a time limit.
 */
static ach_message_t *next_data(struct devcl_inbox *in)
{
    size_t left = ach_queue_length(in->queue) + 1;
    ach_message_t *m = ach_queue_pop(in->data);

    while (!m && left-- && (m = inbox_next(in))) {
        uint8_t type = ach_message_header(m)->type;

        if (type == ACH_MSG_DATA)
            break;
        answers(in, ach_message_header(m));
        if (type == ACH_MSG_SYNCH)
            hear_synch(in, m);
        ach_message_unref(m);
        m = NULL;
    }
    return m;
}

static ach_status_t inbox_deliver(struct devcl_inbox *in, ach_message_t *found, ach_message_t **m,
                                  uint64_t *missed)
{
    *missed = ach_queue_lost(in->queue) + ach_queue_lost(in->data) + in->lost_before;
    in->lost_before = 0;
    *m = found;
    return *missed ? ACH_MISSED_FRAME : ACH_OK;
}

ach_status_t devcl_inbox_get(struct devcl_inbox *in, double timeout, int options, ach_message_t **m,
                             uint64_t *missed)
{
    double until = timeout < 0 ? -1 : monotonic_seconds() + timeout;

    for (;;) {
        ach_message_t *found = next_data(in);

        if (found)
            return inbox_deliver(in, found, m, missed);
        if (in->closed) {
            wake(in); /* keep the descriptor readable */
            return ach_errstr_set(ACH_CLOSED, "the connection to the device is lost");
        }
        if (!(options & ACH_O_WAIT))
            return ACH_STALE_FRAMES;
        if (until >= 0 && monotonic_seconds() >= until)
            return ACH_TIMEOUT;
        dev_wakeup_wait(in->fd, until);
    }
}

/* Whether the message is the awaited answer; if not, it is handled and released. */
static bool is_answer(struct devcl_inbox *in, ach_message_t *m)
{
    const ach_header_t *h = ach_message_header(m);

    if (answers(in, h))
        return true;
    if (h->type == ACH_MSG_DATA)
        ach_queue_push(in->data, m);
    else if (h->type == ACH_MSG_SYNCH)
        hear_synch(in, m);
    ach_message_unref(m);
    return false;
}

/* The answer, if it is among the messages that are there now. */
static ach_message_t *next_answer(struct devcl_inbox *in)
{
    size_t left = ach_queue_length(in->queue) + 1;
    ach_message_t *m;

    do
        m = left-- ? inbox_next(in) : NULL;
    while (m && !is_answer(in, m));
    return m;
}

void devcl_inbox_ask(struct devcl_inbox *in, ach_header_t *request)
{
    if (monotonic_seconds() > in->forget_late)
        memset(in->late, 0, sizeof(in->late));
    in->sequence += in->sequence == UINT32_MAX ? 2 : 1;
    in->waited = request->subtype;
    request->sequence = in->sequence;
}

static void give_up(struct devcl_inbox *in)
{
    if (in->late[in->waited] < UINT8_MAX)
        in->late[in->waited]++;
    in->forget_late = monotonic_seconds() + FORGET_SECONDS;
}

/* If data was put aside, makes the descriptor readable again. */
ach_status_t devcl_inbox_await(struct devcl_inbox *in, double timeout, ach_message_t **answer)
{
    double until = monotonic_seconds() + timeout;
    ach_status_t status = ACH_OK;
    ach_message_t *m;

    while (!(m = next_answer(in)) && status == ACH_OK) {
        if (in->closed)
            status = ach_errstr_set(ACH_CLOSED, "the connection to the device is lost");
        else if (monotonic_seconds() >= until)
            status = ach_errstr_set(ACH_TIMEOUT, "no answer within %g s", timeout);
        else
            dev_wakeup_wait(in->fd, until);
    }
    if (ach_queue_length(in->data))
        wake(in);
    if (m)
        *answer = m;
    else
        give_up(in);
    in->waited = -1;
    return m ? ACH_OK : status;
}
