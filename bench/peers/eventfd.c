/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * eventfd.c - messages in shared memory, and an eventfd to wake each receiver
 *
 * A receiver that blocks does so in read, which has no time limit; it counts
 * only if it is 0.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kernel.h"
#include "ring.h"
#include "setup.h"

struct events {
    struct ring ring;
    enum mode mode;
    int *fd;
    unsigned count;
    int mine; /* a receiver's */
};

static void finish(void *link)
{
    struct events *e = link;

    while (e->count > 0)
        close(e->fd[--e->count]);
    ring_finish(&e->ring);
    free(e->fd);
    free(e);
}

static struct events *allocate(const struct job *job)
{
    struct events *e = calloc(1, sizeof(*e));

    if (!e)
        return NULL;
    e->mode = job->mode;
    e->fd = calloc(job->receivers, sizeof(*e->fd));
    if (e->fd && ring_init(&e->ring, job->size))
        return e;
    free(e->fd);
    free(e);
    return NULL;
}

static void *setup(const struct job *job)
{
    struct events *e = allocate(job);

    if (!e)
        return refuse(job, "no memory");
    for (; e->count < job->receivers; e->count++) {
        e->fd[e->count] = eventfd(0, EFD_CLOEXEC);
        if (e->fd[e->count] >= 0)
            continue;
        refuse(job, "no eventfd: %s", strerror(errno));
        finish(e);
        return NULL;
    }
    return e;
}

static bool open_end(void *link, enum side side, unsigned index)
{
    struct events *e = link;

    if (side == RECEIVER)
        e->mine = e->fd[index];
    ring_open(&e->ring);
    return true;
}

static int send_message(void *link, const void *message, size_t size)
{
    const eventfd_t one = 1;
    struct events *e = link;
    unsigned i;

    (void)size;
    ring_put(&e->ring, message);
    for (i = 0; i < e->count; i++)
        while (write(e->fd[i], &one, sizeof(one)) < 0)
            if (errno != EINTR)
                return -1;
    return 1;
}

/* 1: there may be something, 0: nothing within the time. */
static int wait_for(const struct events *e, int timeout_ms)
{
    struct pollfd p = {.fd = e->mine, .events = POLLIN};
    eventfd_t events;
    int n = 1;

    if (e->mode == MODE_POLL)
        n = poll(&p, 1, timeout_ms);
    if (n > 0)
        n = read(e->mine, &events, sizeof(events)) < 0 ? -1 : 1;
    return n < 0 && errno == EINTR ? 1 : n;
}

static ssize_t receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct events *e = link;

    if (room < e->ring.size)
        return -1;
    while (!ring_get(&e->ring, buffer)) {
        int n = timeout_ms == 0 ? 0 : wait_for(e, timeout_ms);

        if (n <= 0)
            return n;
    }
    return (ssize_t)e->ring.size;
}

const struct contender eventfd_contender = {
    .name = "eventfd",
    .source = __FILE__ " ring.c",
    .kind = KIND_KERNEL,
    .settings = "an eventfd per receiver; the message in a ring in shared memory, 64 slots or "
                "2 MiB, at least 2",
    .modes = MODE_BLOCK | MODE_POLL,
    .max_senders = 1,
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .close = close_nothing,
    .send = send_message,
    .receive = receive,
};
