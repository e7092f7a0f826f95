/* SPDX-License-Identifier: BSD-3-Clause */
#include "link.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "peers.h"
#include "ticks.h"

#define LOOKS 64u /* between two looks at the clock, which costs more than they do */

bool refuse(struct link *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(l->why, WHY_SIZE, format, args);
    va_end(args);
    return false;
}

void *shared_map(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    return memory != MAP_FAILED ? memory : NULL;
}

struct link *link_create(const struct contender *c, const struct setting *s, char *why)
{
    static unsigned next_id;
    struct link *l = calloc(1, sizeof(*l) + c->state_size);

    if (!l) {
        snprintf(why, WHY_SIZE, "no memory");
        return NULL;
    }
    *l = (struct link){.c = c,
                       .mode = s->mode,
                       .senders = s->senders,
                       .receivers = s->receivers,
                       .id = next_id++,
                       .size = s->size,
                       .state = l + 1,
                       .why = why};
    errno = 0;
    if (!c->setup || c->setup(l))
        return l;
    if (!why[0])
        refuse(l, "cannot be set up: %s", strerror(errno));
    link_destroy(l);
    return NULL;
}

void link_destroy(struct link *l)
{
    if (l->c->finish)
        l->c->finish(l);
    free(l);
}

struct link *link_open(const struct link *l, enum side side, unsigned index, void *buffer)
{
    size_t bytes = sizeof(*l) + l->c->state_size;
    struct link *copy = malloc(bytes);

    if (!copy)
        return NULL;
    memcpy(copy, l, bytes);
    copy->state = copy + 1;
    copy->side = side;
    copy->index = index;
    copy->message = buffer;
    copy->timeout_ms = -1;
    return !l->c->open || l->c->open(copy) ? copy : NULL;
}

void link_close(struct link *l)
{
    if (l->c->close)
        l->c->close(l);
    free(l);
}

static ssize_t link_spin(struct link *l, int timeout_ms)
{
    uint64_t end = clock_ns() + (uint64_t)timeout_ms * 1000000u;
    unsigned looks = 0;
    ssize_t n;

    while ((n = l->c->receive(l, 0)) == 0) {
        if (l->c->yields)
            sched_yield();
        if (++looks % LOOKS == 0 && clock_ns() >= end)
            break;
    }
    return n;
}

static ssize_t link_poll(struct link *l, int timeout_ms)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    int n = poll(&p, 1, timeout_ms);

    if (n > 0)
        return l->c->receive(l, 0);
    return n < 0 && errno != EINTR ? -1 : 0;
}

ssize_t link_receive(struct link *l, int timeout_ms)
{
    const struct contender *c = l->c;
    unsigned mode = l->mode & ~c->waits;
    ssize_t n;

    if (mode == MODE_SPIN)
        return link_spin(l, timeout_ms);
    if (c->looks_first & l->mode && (n = c->receive(l, 0)) != 0)
        return n;
    if (mode == MODE_POLL)
        return link_poll(l, timeout_ms);
    if (c->limit && timeout_ms != l->timeout_ms && !c->limit(l, timeout_ms))
        return -1;
    l->timeout_ms = timeout_ms;
    return c->receive(l, timeout_ms);
}
