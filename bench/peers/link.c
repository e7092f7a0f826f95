/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link.c - make a link, hand it to an end, send and receive its messages
 *
 * The first eight bytes of a message say who sent it and which one it is; when
 * it was sent stands in memory that all processes share. The rest is a pattern
 * of the message's number: bytes of another message, or none at all, show.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"
#include "ticks.h"

#define LOOKS 64u /* between two looks at the clock, which costs more than they do */
#define NUMBER_BITS 48
#define WARM_UP (1ull << 63)
#define STEP 0x9e3779b97f4a7c15ull

bool refuse(struct link *l, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(l->why, WHY_SIZE, format, args);
    va_end(args);
    return false;
}

struct link *link_create(const struct contender *c, const struct setting *s, char *why)
{
    static unsigned next_id;
    struct link *l = calloc(1, sizeof(*l) + c->state_size);

    MUST(l != NULL);
    *l = (struct link){.c = c,
                       .mode = s->mode,
                       .apart = s->apart,
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

    MUST(copy != NULL);
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

/* Write the tag, and, if touch says so, everything. */
static void message_write(void *place, size_t size, const struct tag *tag, bool touch)
{
    uint64_t sender = (uint64_t)tag->sender << NUMBER_BITS, *to = place;
    uint64_t word = tag->number | sender | (tag->warm_up ? WARM_UP : 0);
    size_t i, words = size / sizeof(word);

    to[0] = word;
    if (!touch)
        return;
    for (i = 1; i < words; i++)
        to[i] = word + i * STEP;
    memset(&to[words], (int)(word & 0xff), size % sizeof(word));
}

/* Read the tag. False: the rest is not what message_write wrote. */
static bool message_read(const void *place, size_t size, struct tag *tag, bool touch)
{
    const uint64_t *from = place;
    uint64_t word = from[0], wrong = 0;
    size_t i, words = size / sizeof(word);
    const unsigned char *rest = (const unsigned char *)&from[words];

    tag->number = word & ((1ull << NUMBER_BITS) - 1);
    tag->sender = (unsigned)((word & ~WARM_UP) >> NUMBER_BITS);
    tag->warm_up = (word & WARM_UP) != 0;
    if (!touch)
        return true;
    for (i = 1; i < words; i++)
        wrong |= from[i] ^ (word + i * STEP);
    for (i = 0; i < size % sizeof(word); i++)
        wrong |= rest[i] ^ (word & 0xff);
    return wrong == 0;
}

int link_put(struct link *l, const struct tag *tag, bool touch)
{
    if (l->c->loan && !l->c->loan(l))
        return 0;
    message_write(l->message, l->size, tag, touch);
    return l->c->send(l);
}

int link_get(struct link *l, struct tag *tag, bool touch, int timeout_ms)
{
    ssize_t n = link_receive(l, timeout_ms);
    bool good;

    if (n <= 0)
        return n == 0 ? NOTHING : FAILED;
    good = (size_t)n == l->size && message_read(l->message, l->size, tag, touch);
    if (l->c->release && !l->c->release(l))
        return NOTHING; /* overwritten while it was read: a loss, not damage */
    return good ? GOT : DAMAGED;
}
