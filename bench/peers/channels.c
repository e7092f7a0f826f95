/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels.c - channels: in shared memory, with copies and in place, on the heap, in the kernel
 *
 * A receiver takes every message in turn, or, as control loops do, the newest.
 * Only what the newest-only receiver leaves out is counted as lost.
 */
#include <ach.h>
#include <stdio.h>
#include <stdlib.h>

#include "peers.h"

#define SPIN_NS 1000000000ull

struct flavour {
    enum ach_map map;
    bool in_place, newest, polled, spins;
    uint32_t budget;   /* of receivers that anticipate */
    bool listens;      /* they leave the flag up */
    const char *ready; /* what makes a descriptor readable; NULL: whatever suits */
};

struct channel {
    char name[48];
    struct ach_header *shm; /* of a channel on the heap */
    ach_channel_t chan;
};

static ach_channel_t *chan_of(struct link *l)
{
    return &((struct channel *)l->state)->chan;
}

static bool setup(struct link *l)
{
    const struct flavour *f = l->c->variant;
    struct channel *c = l->state;
    ach_create_attr_t attr;

    snprintf(c->name, sizeof(c->name), "peers-%u", l->id);
    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, f->in_place);
    ach_create_attr_set_map(&attr, f->map);
    ach_create_attr_set_timestamps(&attr, f->budget > 0);
    ach_create_attr_set_anticipated(&attr, f->budget > 0 && !f->listens);
    if (ach_create(c->name, channel_history(l->size), l->size, &attr) != ACH_OK)
        return refuse(l, "%s", ach_errstr());
    return f->map != ACH_MAP_ANON || ach_create_attr_get_shm(&attr, &c->shm) == ACH_OK;
}

/* The environment is this process's own: ends that poll are no threads. */
static bool open_end(struct link *l)
{
    const struct flavour *f = l->c->variant;
    struct channel *c = l->state;
    ach_attr_t attr;

    ach_attr_init(&attr);
    if (c->shm)
        ach_attr_set_shm(&attr, c->shm);
    if (f->in_place && l->side == SENDER)
        ach_attr_set_lock_source(&attr, 1);
    ach_attr_set_spin(&attr, (l->mode == MODE_SPIN && !f->polled) || f->spins ? SPIN_NS : 0);
    if (l->side == RECEIVER)
        ach_attr_set_anticipate(&attr, f->budget, l->apart);
    if (ach_open(&c->chan, c->name, &attr) != ACH_OK || ach_flush(&c->chan) != ACH_OK)
        return false;
    if (l->mode != MODE_POLL || l->side == SENDER)
        return true;
    return (!f->ready || setenv("ACH_FD", f->ready, 1) == 0) &&
           ach_channel_fd(&c->chan, &l->fd) == ACH_OK;
}

static void close_end(struct link *l)
{
    ach_close(chan_of(l));
}

static void finish(struct link *l)
{
    struct channel *c = l->state;

    if (c->shm)
        free(c->shm);
    else
        ach_unlink(c->name);
}

static int send_copy(struct link *l)
{
    return ach_put(chan_of(l), l->message, l->size) == ACH_OK ? 1 : -1;
}

static int options(const struct link *l, int timeout_ms)
{
    const struct flavour *f = l->c->variant;

    return (timeout_ms > 0 ? ACH_O_WAIT | ACH_O_RELTIME : 0) | (f->newest ? ACH_O_LAST : 0);
}

static ssize_t received(enum ach_status r, size_t size)
{
    if (r == ACH_OK || r == ACH_MISSED_FRAME)
        return (ssize_t)size;
    return r == ACH_TIMEOUT || r == ACH_EAGAIN ? 0 : -1;
}

static ssize_t receive_copy(struct link *l, int timeout_ms)
{
    const struct timespec limit = milliseconds(timeout_ms);
    size_t size;
    enum ach_status r =
        ach_get(chan_of(l), l->message, l->size, &size, &limit, options(l, timeout_ms));

    return received(r, size);
}

static bool loan(struct link *l)
{
    return ach_reserve(chan_of(l), l->size, &l->message) == ACH_OK;
}

static int commit(struct link *l)
{
    return ach_commit(chan_of(l), l->size) == ACH_OK ? 1 : -1;
}

static ssize_t view(struct link *l, int timeout_ms)
{
    const struct timespec limit = milliseconds(timeout_ms);
    const void *place;
    size_t size;
    enum ach_status r = ach_view(chan_of(l), &place, &size, &limit, options(l, timeout_ms));

    l->message = (void *)place;
    return received(r, size);
}

static bool release(struct link *l)
{
    return ach_view_check(chan_of(l)) == ACH_OK;
}

#define CHANNEL(...)                                                                               \
    .kind = KIND_ACH, .source = __FILE__, .state_size = sizeof(struct channel),                    \
    .variant = &(const struct flavour){__VA_ARGS__}, .looks_first = MODE_POLL, .setup = setup,     \
    .finish = finish, .open = open_end, .close = close_end
#define COPIED(modes_, ...)                                                                        \
    CHANNEL(__VA_ARGS__), .modes = (modes_), .waits = MODE_SPIN, .send = send_copy,                \
                          .receive = receive_copy
#define ANTICIPATING(percent)                                                                      \
    .name = "ach " #percent " %", .named = true,                                                   \
    .settings = "anticipates, for " #percent " % of a processor; timestamps, anticipated",         \
    COPIED(MODE_BLOCK, .map = ACH_MAP_USER, .budget = (percent)*10000)
#define ANY_MODE (MODE_BLOCK | MODE_SPIN | MODE_POLL)

const struct contender channel_contenders[] = {
    {.name = "ach",
     .settings = "64 messages of history, 1 of large ones; every message",
     COPIED(ANY_MODE, .map = ACH_MAP_USER)},
    {.name = "ach sleeping",
     .named = true,
     .settings = "the same as ach",
     COPIED(MODE_BLOCK, .map = ACH_MAP_USER)},
    {ANTICIPATING(1)},
    {ANTICIPATING(2)},
    {ANTICIPATING(5)},
    {ANTICIPATING(10)},
    {.name = "ach listening",
     .named = true,
     .settings = "anticipates, for 2 % of a processor; timestamps; puts make a system call",
     COPIED(MODE_BLOCK, .map = ACH_MAP_USER, .budget = 20000, .listens = true)},
    {.name = "ach spinning",
     .named = true,
     .settings = "a handle that spins",
     COPIED(MODE_BLOCK, .map = ACH_MAP_USER, .spins = true)},
    {.name = "ach newest",
     .settings = "ACH_O_LAST",
     COPIED(ANY_MODE, .map = ACH_MAP_USER, .newest = true)},
    {.name = "ach polled",
     .settings = "gets again and again, on a handle that does not spin",
     CHANNEL(.map = ACH_MAP_USER, .polled = true),
     .modes = MODE_SPIN,
     .send = send_copy,
     .receive = receive_copy},
    {.name = "ach in place",
     .settings = "reserve and commit, view and check; one writer",
     CHANNEL(.map = ACH_MAP_USER, .in_place = true),
     .modes = MODE_BLOCK | MODE_SPIN,
     .waits = MODE_SPIN,
     .loan = loan,
     .send = commit,
     .receive = view,
     .release = release,
     .max_senders = 1,
     .copies_nothing = true},
    {.name = "ach heap",
     .settings = "threads of one process",
     COPIED(MODE_BLOCK | MODE_SPIN, .map = ACH_MAP_ANON),
     .threads = true},
    {.name = "ach helper",
     .settings = "a helper thread makes the descriptor readable",
     COPIED(MODE_POLL, .map = ACH_MAP_USER, .ready = "thread")},
    {.name = "ach kernel",
     .settings = "the kernel module; put by a system call, get from mapped memory",
     COPIED(ANY_MODE, .map = ACH_MAP_KERNEL),
     .start = kernel_missing},
    {0},
};
