/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faulty.c - contenders with something wrong, to see that the harness notices
 *
 * Each is a pipe that is slow, loses messages, swaps neighbours, or damages them.
 */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../bench/peers/contender.h"

#define EVERY 10u
#define SLOW_NS 300000u
#define LARGEST 4096u

enum fault { SLOW, LOSSY, SWAPPING, DAMAGING };

struct faulty {
    int fd[2];
    unsigned count;
    unsigned char held[LARGEST]; /* a message that its successor overtakes */
    bool holds;
};

static bool setup(struct link *l)
{
    return pipe2(((struct faulty *)l->state)->fd, O_CLOEXEC) == 0;
}

static void finish(struct link *l)
{
    struct faulty *f = l->state;

    close(f->fd[0]);
    close(f->fd[1]);
}

static void close_end(struct link *l)
{
    close(((struct faulty *)l->state)->fd[l->side == SENDER]);
}

static int pass(struct faulty *f, const void *message, size_t size)
{
    return write(f->fd[1], message, size) == (ssize_t)size ? 1 : -1;
}

static int pass_swapped(struct faulty *f, const void *message, size_t size)
{
    f->holds = !f->holds;
    if (!f->holds)
        return pass(f, message, size) == 1 ? pass(f, f->held, size) : -1;
    memcpy(f->held, message, size);
    return 1;
}

static int send_message(struct link *l)
{
    const enum fault *fault = l->c->variant;
    struct faulty *f = l->state;
    bool now = ++f->count % EVERY == 0;

    if (*fault == SLOW)
        nanosleep(&(struct timespec){.tv_nsec = SLOW_NS}, NULL);
    if (*fault == LOSSY && now)
        return 1; /* and does not say so */
    if (*fault == SWAPPING)
        return pass_swapped(f, l->message, l->size);
    if (*fault == DAMAGING && now)
        ((unsigned char *)l->message)[l->size - 1] ^= 1;
    return pass(f, l->message, l->size);
}

static ssize_t receive(struct link *l, int timeout_ms)
{
    struct faulty *f = l->state;
    struct pollfd p = {.fd = f->fd[0], .events = POLLIN};

    return poll(&p, 1, timeout_ms) == 1 ? read(f->fd[0], l->message, l->size) : 0;
}

#define FAULTY(fault_)                                                                             \
    .kind = KIND_LIBRARY, .settings = "faulty on purpose", .source = __FILE__,                     \
    .variant = &(const enum fault){fault_}, .modes = MODE_BLOCK, .max_size = LARGEST,              \
    .max_senders = 1, .state_size = sizeof(struct faulty), .setup = setup, .finish = finish,       \
    .close = close_end, .send = send_message, .receive = receive

const struct contender contenders[] = {
    {.name = "slow", FAULTY(SLOW)},
    {.name = "lossy", FAULTY(LOSSY)},
    {.name = "swapping", FAULTY(SWAPPING)},
    {.name = "damaging", FAULTY(DAMAGING)},
    {.name = NULL},
};
