/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "stop.h"
#include "streams.h"

#define FIRST_ROOM 4096
#define NS_PER_S 1000000000ull
#define SLICE_NS NS_PER_S

static bool grow(struct reader *r, size_t room)
{
    unsigned char *data = realloc(r->data, room);

    if (!data) {
        complain("out of memory for a message of %zu bytes", room);
        return false;
    }
    r->data = data;
    r->room = room;
    return true;
}

bool reader_open(struct reader *r, const char *name)
{
    memset(r, 0, sizeof(*r));
    r->name = name;
    if (!open_channel(&r->chan, name, false))
        return false;
    stop_on_signals(&r->chan);
    if (channel_info(&r->chan, name, &r->info) && grow(r, FIRST_ROOM))
        return true;
    reader_close(r);
    return false;
}

bool delivered(enum ach_status status)
{
    return status == ACH_OK || status == ACH_MISSED_FRAME;
}

static enum ach_status get(struct reader *r, const struct timespec *timeout, int options)
{
    for (;;) {
        enum ach_status status =
            ach_get(&r->chan, r->data, r->room, &r->size, timeout, options | ACH_O_RELTIME);

        if (status != ACH_OVERFLOW)
            return status;
        if (!grow(r, r->size))
            return ACH_FAILED_SYSCALL;
    }
}

/* Has whoever read our output left? */
static bool abandoned(void)
{
    struct pollfd p = {.fd = STDOUT_FILENO};

    return poll(&p, 1, 0) == 1 && (p.revents & (POLLERR | POLLHUP));
}

uint64_t to_ns(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * NS_PER_S + (uint64_t)t->tv_nsec;
}

uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return to_ns(&t);
}

/* Wait slice by slice: no message tells us that nobody wants one any more. */
static enum ach_status get_wait(struct reader *r, const struct timespec *timeout, int options)
{
    uint64_t end = timeout ? now_ns() + to_ns(timeout) : UINT64_MAX;

    for (;;) {
        uint64_t now = now_ns(), left = end > now ? end - now : 0;
        uint64_t slice = left < SLICE_NS ? left : SLICE_NS;
        struct timespec t = {.tv_sec = (time_t)(slice / NS_PER_S),
                             .tv_nsec = (long)(slice % NS_PER_S)};
        enum ach_status status = get(r, &t, options);

        if (status != ACH_TIMEOUT || slice == left)
            return status;
        if (abandoned())
            return ACH_CANCELED;
    }
}

enum ach_status reader_get(struct reader *r, const struct timespec *timeout, int options)
{
    enum ach_status status;

    if (!(options & ACH_O_WAIT))
        return get(r, NULL, options);
    /* Somebody may be waiting for what we wrote while we wait for more. */
    status = get(r, NULL, options & ~(ACH_O_WAIT | ACH_O_COPY));
    if (status != ACH_EAGAIN)
        return status;
    if (!streams_flush())
        return ACH_CANCELED;
    return get_wait(r, timeout, options);
}

uint64_t reader_missed(const struct reader *r)
{
    uint64_t seq = 0, missed = 0, first, gone;

    ach_channel_seq(&r->chan, &seq);
    ach_channel_missed(&r->chan, &missed, NULL);
    first = seq - missed;
    gone = r->info.oldest > first ? r->info.oldest - first : 0;
    return missed > gone ? missed - gone : 0;
}

void reader_close(struct reader *r)
{
    stop_forget();
    ach_close(&r->chan);
    free(r->data);
    r->data = NULL;
}
