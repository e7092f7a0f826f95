/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * futex.c - the floor for receivers that sleep
 *
 * The least that carries a message to sleepers: copy it into shared memory,
 * count, wake them all; each wakes up and copies it out.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "built_in.h"
#include "ring.h"

static bool setup(struct link *l)
{
    return ring_init(l->state, l->size) || refuse(l, "no memory");
}

static void finish(struct link *l)
{
    ring_finish(l->state);
}

static bool open_end(struct link *l)
{
    return ring_open(l->state);
}

static int send_message(struct link *l)
{
    struct ring *r = l->state;

    ring_put(r, l->message);
    return syscall(SYS_futex, &r->memory->sequence, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) < 0 ? -1
                                                                                            : 1;
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    const struct timespec limit = milliseconds(timeout_ms);
    struct ring *r = l->state;

    while (!ring_get(r, l->message)) {
        if (syscall(SYS_futex, &r->memory->sequence, FUTEX_WAIT, r->next, &limit, NULL, 0) == 0)
            continue;
        if (errno == ETIMEDOUT)
            return 0;
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return (ssize_t)l->size;
}

const struct contender futex_contender = {
    .name = "futex",
    .source = __FILE__ " ring.c",
    .kind = KIND_FLOOR,
    .settings = "a ring in shared memory, 64 slots or 2 MiB, at least 2; one wake for all",
    .modes = MODE_BLOCK | MODE_POLL, /* the floor of those that poll, too */
    .waits = MODE_POLL,
    .max_senders = 1,
    .state_size = sizeof(struct ring),
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .send = send_message,
    .receive = receive,
};
