/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eventfd.c - messages in shared memory, and an eventfd to wake each receiver
 *
 * A receiver that blocks does so in read, which has no time limit.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "built_in.h"
#include "ring.h"

struct events {
    struct ring ring;
    int fd[RECEIVERS_MAX];
    unsigned count;
};

static bool setup(struct link *l)
{
    struct events *e = l->state;

    if (!ring_init(&e->ring, l->size))
        return refuse(l, "no memory");
    for (; e->count < l->receivers; e->count++) {
        e->fd[e->count] = eventfd(0, EFD_CLOEXEC);
        if (e->fd[e->count] < 0)
            return refuse(l, "no eventfd: %s", strerror(errno));
    }
    return true;
}

static void finish(struct link *l)
{
    struct events *e = l->state;

    while (e->count > 0)
        close(e->fd[--e->count]);
    ring_finish(&e->ring);
}

static bool open_end(struct link *l)
{
    struct events *e = l->state;

    l->fd = e->fd[l->index];
    return ring_open(&e->ring);
}

static int send_message(struct link *l)
{
    const eventfd_t one = 1;
    struct events *e = l->state;
    unsigned i;

    ring_put(&e->ring, l->message);
    for (i = 0; i < e->count; i++)
        while (write(e->fd[i], &one, sizeof(one)) < 0)
            if (errno != EINTR)
                return -1;
    return 1;
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    struct events *e = l->state;
    eventfd_t events;

    while (!ring_get(&e->ring, l->message)) {
        int n = l->mode == MODE_POLL ? poll(&p, 1, timeout_ms) : 1;

        if (n == 0)
            return 0;
        if ((n < 0 || read(l->fd, &events, sizeof(events)) < 0) && errno != EINTR)
            return -1;
    }
    return (ssize_t)l->size;
}

const struct contender eventfd_contender = {
    .name = "eventfd",
    .source = __FILE__ " ring.c",
    .kind = KIND_KERNEL,
    .settings = "an eventfd per receiver; the message in a ring in shared memory, 64 slots or "
                "2 MiB, at least 2",
    .modes = MODE_BLOCK | MODE_POLL,
    .waits = MODE_POLL,
    .max_senders = 1,
    .state_size = sizeof(struct events),
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .send = send_message,
    .receive = receive,
};
