/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "dirwatch.h"
#include "monotonic.h"
#include "nochannel.h"
#include "stop.h"
#include "streams.h"
#include "suggest.h"

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

/* Set up the reader after its channel was opened. */
static bool begin(struct reader *r)
{
    r->open = true;
    r->channels++;
    stop_on_signals(&r->chan);
    if (stopped()) /* the signal came before stop_on_signals knew the channel */
        ach_cancel(&r->chan, NULL);
    if (channel_info(&r->chan, r->name, &r->info) && grow(r, FIRST_ROOM))
        return true;
    reader_close(r);
    return false;
}

bool reader_open(struct reader *r, const char *name)
{
    memset(r, 0, sizeof(*r));
    r->name = name;
    return open_channel(&r->chan, name, false) && begin(r);
}

bool delivered(enum ach_status status)
{
    return status == ACH_OK || status == ACH_MISSED_FRAME;
}

static enum ach_status reader_get_one(struct reader *r, const struct timespec *timeout, int options)
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

/* Was the output pipe closed by its reader? */
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
    return (uint64_t)monotonic_ns();
}

/* Wait in slices, to check for a closed output pipe in between. */
static enum ach_status get_wait(struct reader *r, const struct timespec *timeout, int options)
{
    uint64_t end = timeout ? now_ns() + to_ns(timeout) : UINT64_MAX;

    for (;;) {
        uint64_t now = now_ns(), left = end > now ? end - now : 0;
        uint64_t slice = left < SLICE_NS ? left : SLICE_NS;
        struct timespec t = {.tv_sec = (time_t)(slice / NS_PER_S),
                             .tv_nsec = (long)(slice % NS_PER_S)};
        enum ach_status status = reader_get_one(r, &t, options);

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
        return reader_get_one(r, NULL, options);
    /* Flush before waiting: a reader of our output may wait for it. First try without waiting. */
    status = reader_get_one(r, NULL, options & ~(ACH_O_WAIT | ACH_O_COPY));
    if (status != ACH_EAGAIN)
        return status;
    if (!streams_flush())
        return ACH_CANCELED;
    return get_wait(r, timeout, options);
}

/* Is there no channel? One whose file was truncated counts as absent: it may be replaced. */
static bool absent(const struct reader *r, enum ach_status status)
{
    return status == ACH_ENOENT || (r->cut && status == ACH_BAD_SHM_FILE);
}

/* Wait in slices until the channel exists. */
static enum ach_status await(struct reader *r, const struct timespec *timeout)
{
    uint64_t end = timeout ? now_ns() + to_ns(timeout) : UINT64_MAX;
    struct dirwatch arrival;
    enum ach_status status;

    dirwatch_init(&arrival, r->name);
    while (absent(r, status = ach_open(&r->chan, r->name, NULL))) {
        uint64_t now = now_ns();

        if (now >= end) {
            status = ACH_TIMEOUT;
            break;
        }
        dirwatch_wait(&arrival, end - now < SLICE_NS ? end - now : SLICE_NS);
        if (stopped() || abandoned()) {
            status = ACH_CANCELED;
            break;
        }
    }
    dirwatch_finish(&arrival);
    return status;
}

static enum ach_status await_and_begin(struct reader *r, const struct timespec *timeout)
{
    enum ach_status status;

    if (!streams_flush())
        return ACH_CANCELED;
    status = await(r, timeout);
    if (status == ACH_OK)
        return begin(r) ? ACH_OK : ACH_BUG; /* begin has complained */
    if (status != ACH_TIMEOUT && status != ACH_CANCELED)
        fail_errstr();
    return status;
}

enum ach_status reader_await(struct reader *r, const char *name, const struct timespec *timeout)
{
    const struct timespec now = {0};
    enum ach_status status;

    memset(r, 0, sizeof(*r));
    r->name = name;
    stop_on_signals(NULL);
    status = await_and_begin(r, &now);
    if (status != ACH_TIMEOUT)
        return status;
    if (no_channel_directory()) {
        complain_absent(name);
        return ACH_FAILED_SYSCALL;
    }
    complain("there is no channel '%s' yet: waiting for it%s", name, suggest_channel(name));
    r->awaited = true;
    return await_and_begin(r, timeout);
}

bool reader_lost(const struct reader *r, enum ach_status status)
{
    ach_info_t info;

    if (status == ACH_ENOENT)
        return true;
    if (status != ACH_CORRUPT)
        return false;
    status = ach_channel_info(&r->chan, &info);
    return status == ACH_BAD_SHM_FILE || (status == ACH_OK && (info.replaced || info.unlinked));
}

static bool was_cut(const struct reader *r)
{
    ach_info_t info;

    return ach_channel_info(&r->chan, &info) == ACH_BAD_SHM_FILE;
}

enum ach_status reader_reopen(struct reader *r, const struct timespec *timeout)
{
    r->awaited = true;
    if (r->open) {
        r->cut = was_cut(r);
        reader_close(r);
        if (r->cut)
            complain("the file of channel '%s' was cut short: following the channel that "
                     "replaces it",
                     r->name);
        else
            complain("channel '%s' was removed or replaced: following the next one", r->name);
    }
    return await_and_begin(r, timeout);
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
    if (!r->open)
        return;
    stop_forget();
    ach_close(&r->chan);
    r->open = false;
    free(r->data);
    r->data = NULL;
    r->room = 0;
}
