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
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"
#include "ring.h"
#include "setup.h"

static void *setup(const struct job *job)
{
    struct ring *r = calloc(1, sizeof(*r));

    if (r && ring_init(r, job->size))
        return r;
    free(r);
    return refuse(job, "no memory");
}

static bool open_end(void *link, enum side side, unsigned index)
{
    (void)side;
    (void)index;
    ring_open(link);
    return true;
}

static void finish(void *link)
{
    ring_finish(link);
    free(link);
}

static int send_message(void *link, const void *message, size_t size)
{
    struct ring *r = link;

    (void)size;
    ring_put(r, message);
    return syscall(SYS_futex, &r->memory->sequence, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) < 0 ? -1
                                                                                            : 1;
}

static ssize_t receive(void *link, void *buffer, size_t room, int timeout_ms)
{
    const struct timespec limit = {.tv_sec = timeout_ms / 1000,
                                   .tv_nsec = timeout_ms % 1000 * 1000000l};
    struct ring *r = link;

    if (room < r->size)
        return -1;
    while (!ring_get(r, buffer)) {
        if (syscall(SYS_futex, &r->memory->sequence, FUTEX_WAIT, r->next, &limit, NULL, 0) == 0)
            continue;
        if (errno == ETIMEDOUT)
            return 0;
        if (errno != EAGAIN && errno != EINTR)
            return -1;
    }
    return (ssize_t)r->size;
}

const struct contender futex_contender = {
    .name = "futex",
    .source = __FILE__ " ring.c",
    .kind = KIND_FLOOR,
    .settings = "a ring in shared memory, 64 slots or 2 MiB, at least 2; one wake for all",
    .modes = MODE_BLOCK,
    .max_senders = 1,
    .setup = setup,
    .finish = finish,
    .open = open_end,
    .close = close_nothing,
    .send = send_message,
    .receive = receive,
};
