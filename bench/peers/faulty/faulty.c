/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * faulty.c - contenders with something wrong, to see that the harness notices
 *
 * Each is a pipe that is slow, loses messages, swaps neighbours, or damages them.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../contender.h"

#define EVERY 10u
#define SLOW_NS 300000u

enum fault { SLOW, LOSSY, SWAPPING, DAMAGING };

struct link {
    enum fault fault;
    int fd[2];
    unsigned count;
    unsigned char *held; /* a message that its successor overtakes */
    bool holds;
};

static struct link *make(const struct job *job, enum fault fault)
{
    struct link *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->fault = fault;
    l->held = calloc(2, job->size);
    if (!l->held || pipe2(l->fd, O_CLOEXEC) != 0) {
        free(l->held);
        free(l);
        return NULL;
    }
    return l;
}

static void *setup_slow(const struct job *job)
{
    return make(job, SLOW);
}

static void *setup_lossy(const struct job *job)
{
    return make(job, LOSSY);
}

static void *setup_swapping(const struct job *job)
{
    return make(job, SWAPPING);
}

static void *setup_damaging(const struct job *job)
{
    return make(job, DAMAGING);
}

static void finish(void *link)
{
    struct link *l = link;

    close(l->fd[0]);
    close(l->fd[1]);
    free(l->held);
    free(l);
}

static bool open_end(void *link, enum side side, unsigned index)
{
    (void)link;
    (void)side;
    (void)index;
    return true;
}

static void close_end(void *link, enum side side, unsigned index)
{
    struct link *l = link;

    (void)index;
    close(l->fd[side == SENDER]);
}

static int pass(struct link *l, const void *message, size_t size)
{
    return write(l->fd[1], message, size) == (ssize_t)size ? 1 : -1;
}

static void dawdle(void)
{
    struct timespec begin, now;

    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec < SLOW_NS);
}

static int pass_swapped(struct link *l, const void *message, size_t size)
{
    if (!l->holds) {
        memcpy(l->held, message, size);
        l->holds = true;
        return 1;
    }
    l->holds = false;
    return pass(l, message, size) == 1 ? pass(l, l->held, size) : -1;
}

static int send_message(void *link, const void *message, size_t size)
{
    struct link *l = link;
    bool now = ++l->count % EVERY == 0;

    if (l->fault == SLOW)
        dawdle();
    if (l->fault == LOSSY && now)
        return 1; /* and does not say so */
    if (l->fault == SWAPPING)
        return pass_swapped(l, message, size);
    if (l->fault == DAMAGING && now) {
        memcpy(l->held, message, size);
        l->held[size - 1] ^= 1;
        return pass(l, l->held, size);
    }
    return pass(l, message, size);
}

static ssize_t receive_message(void *link, void *buffer, size_t room, int timeout_ms)
{
    struct link *l = link;
    struct pollfd p = {.fd = l->fd[0], .events = POLLIN};

    if (poll(&p, 1, timeout_ms) != 1)
        return 0;
    return read(l->fd[0], buffer, room);
}

#define FAULTY(setup_)                                                                             \
    .kind = KIND_LIBRARY, .settings = "faulty on purpose", .source = __FILE__,                     \
    .modes = MODE_BLOCK, .max_size = 4096, .max_senders = 1, .max_receivers = 1,                   \
    .setup = (setup_), .finish = finish, .open = open_end, .close = close_end,                     \
    .send = send_message, .receive = receive_message

static const struct contender slow = {.name = "slow", FAULTY(setup_slow)};
static const struct contender lossy = {.name = "lossy", FAULTY(setup_lossy)};
static const struct contender swapping = {.name = "swapping", FAULTY(setup_swapping)};
static const struct contender damaging = {.name = "damaging", FAULTY(setup_damaging)};

const struct contender *const contenders[] = {&slow, &lossy, &swapping, &damaging, NULL};
