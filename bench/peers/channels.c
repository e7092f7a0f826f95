/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channels.c - channels: in shared memory, with copies and in place, on the heap, in the kernel
 *
 * A receiver takes every message in turn, or, as control loops do, the newest.
 * Only what the newest-only receiver leaves out is counted as lost.
 */
#include "channels.h"

#include <ach.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define HISTORY 64u
#define HISTORY_LARGE 1u /* twice its size: as much memory as the rings of others */
#define LARGE 65536u
#define SPIN_NS 1000000000ull
#define NS_PER_MS 1000000l
#define MS_PER_S 1000

struct link {
    char name[48];
    bool newest;
    bool in_place;
    enum ach_map map;
    const char *ready; /* what makes a descriptor readable; NULL: whatever suits */
    enum mode mode;
    struct ach_header *shm; /* of a channel on the heap */
};

/* The calling end's own: ends on the heap are threads, and share all else. */
static __thread ach_channel_t in, out;
static __thread struct pollfd polled; /* in's descriptor */

static struct link *make(const struct job *job, enum ach_map map, bool in_place, bool newest)
{
    struct link *l = calloc(1, sizeof(*l));
    size_t frames = job->size > LARGE ? HISTORY_LARGE : HISTORY;
    ach_create_attr_t attr;

    if (!l)
        return NULL;
    *l = (struct link){.newest = newest, .in_place = in_place, .map = map, .mode = job->mode};
    snprintf(l->name, sizeof(l->name), "peers-%u", job->id);
    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, in_place);
    ach_create_attr_set_map(&attr, map);
    if (ach_create(l->name, frames, job->size, &attr) != ACH_OK) {
        snprintf(job->why, job->why_size, "%s", ach_errstr());
        free(l);
        return NULL;
    }
    if (map == ACH_MAP_ANON)
        ach_create_attr_get_shm(&attr, &l->shm);
    return l;
}

static void *setup(const struct job *job)
{
    return make(job, ACH_MAP_USER, false, false);
}

static void *setup_newest(const struct job *job)
{
    return make(job, ACH_MAP_USER, false, true);
}

static void *setup_in_place(const struct job *job)
{
    return make(job, ACH_MAP_USER, true, false);
}

static void *setup_heap(const struct job *job)
{
    return make(job, ACH_MAP_ANON, false, false);
}

static void *setup_kernel(const struct job *job)
{
    return make(job, ACH_MAP_KERNEL, false, false);
}

static void *setup_helper(const struct job *job)
{
    struct link *l = make(job, ACH_MAP_USER, false, false);

    if (l)
        l->ready = "thread";
    return l;
}

/* The environment is this process's own: ends that poll are no threads. */
static bool open_descriptor(const struct link *l)
{
    polled.events = POLLIN;
    if (l->ready && setenv("ACH_FD", l->ready, 1) != 0)
        return false;
    return ach_channel_fd(&in, &polled.fd) == ACH_OK;
}

static bool open_end(void *link, enum side side, unsigned index)
{
    struct link *l = link;
    ach_channel_t *chan = side == SENDER ? &out : &in;
    ach_attr_t attr;

    (void)index;
    ach_attr_init(&attr);
    if (l->map == ACH_MAP_ANON)
        ach_attr_set_shm(&attr, l->shm);
    if (l->in_place && side == SENDER)
        ach_attr_set_lock_source(&attr, 1);
    ach_attr_set_spin(&attr, l->mode == MODE_SPIN ? SPIN_NS : 0);
    if (ach_open(chan, l->name, &attr) != ACH_OK || ach_flush(chan) != ACH_OK)
        return false;
    return l->mode != MODE_POLL || side == SENDER || open_descriptor(l);
}

static void close_end(void *link, enum side side, unsigned index)
{
    (void)link;
    (void)index;
    ach_close(side == SENDER ? &out : &in);
}

static void finish(void *link)
{
    struct link *l = link;

    /* Memory on the heap goes with its last handle; the children's were copies. */
    if (l->map == ACH_MAP_ANON) {
        if (open_end(l, SENDER, 0))
            close_end(l, SENDER, 0);
    } else {
        ach_unlink(l->name);
    }
    free(l);
}

static int send_copy(void *link, const void *message, size_t size)
{
    (void)link;
    return ach_put(&out, message, size) == ACH_OK ? 1 : -1;
}

static int options(const struct link *l)
{
    return ACH_O_WAIT | ACH_O_RELTIME | (l->newest ? ACH_O_LAST : 0);
}

/* As a program with a loop of its own: poll, then get what there is. */
static enum ach_status get_polled(void *buffer, size_t room, size_t *size, int timeout_ms,
                                  int newest)
{
    enum ach_status r;

    while ((r = ach_get(&in, buffer, room, size, NULL, newest)) == ACH_EAGAIN) {
        int n = poll(&polled, 1, timeout_ms);

        if (n == 0)
            return ACH_TIMEOUT;
        if (n < 0 && errno != EINTR)
            return ACH_FAILED_SYSCALL;
    }
    return r;
}

static ssize_t receive_copy(void *link, void *buffer, size_t room, int timeout_ms)
{
    const struct timespec t = {timeout_ms / MS_PER_S, timeout_ms % MS_PER_S * NS_PER_MS};
    const struct link *l = link;
    enum ach_status r;
    size_t size;

    if (l->mode == MODE_POLL)
        r = get_polled(buffer, room, &size, timeout_ms, options(l) & ACH_O_LAST);
    else
        r = ach_get(&in, buffer, room, &size, &t, options(l));
    switch (r) {
    case ACH_OK:
    case ACH_MISSED_FRAME:
        return (ssize_t)size;
    case ACH_TIMEOUT:
        return 0;
    default:
        return -1;
    }
}

static void *loan(void *link, size_t size)
{
    void *place;

    (void)link;
    return ach_reserve(&out, size, &place) == ACH_OK ? place : NULL;
}

static int publish(void *link, void *place, size_t size)
{
    (void)link;
    (void)place;
    return ach_commit(&out, size) == ACH_OK ? 1 : -1;
}

static const void *take(void *link, size_t *size, int timeout_ms)
{
    const struct timespec t = {timeout_ms / MS_PER_S, timeout_ms % MS_PER_S * NS_PER_MS};
    const void *place;
    enum ach_status r = ach_view(&in, &place, size, &t, options(link));

    return r == ACH_OK || r == ACH_MISSED_FRAME ? place : NULL;
}

static bool give_back(void *link, const void *place)
{
    (void)link;
    (void)place;
    return ach_view_check(&in) == ACH_OK;
}

#define COMMON                                                                                     \
    .kind = KIND_ACH, .source = __FILE__, .finish = finish, .open = open_end, .close = close_end,  \
    .send = send_copy, .receive = receive_copy

const struct contender contender_ach = {
    COMMON, .name = "ach", .settings = "64 messages of history, 1 of large ones; every message",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL, .setup = setup};

const struct contender contender_ach_newest = {
    COMMON, .name = "ach newest", .settings = "ACH_O_LAST",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL, .setup = setup_newest};

const struct contender contender_ach_helper = {
    COMMON, .name = "ach helper", .settings = "a helper thread makes the descriptor readable",
    .modes = MODE_POLL, .setup = setup_helper};

const struct contender contender_ach_heap = {COMMON,
                                             .name = "ach heap",
                                             .threads = true,
                                             .settings = "threads of one process",
                                             .modes = MODE_BLOCK | MODE_SPIN,
                                             .setup = setup_heap};

const struct contender contender_ach_kernel = {
    COMMON,
    .name = "ach kernel",
    .settings = "the kernel module; put by a system call, get from mapped memory",
    .modes = MODE_BLOCK | MODE_SPIN | MODE_POLL,
    .start = kernel_channels_missing,
    .setup = setup_kernel};

const struct contender contender_ach_in_place = {
    COMMON,
    .name = "ach in place",
    .settings = "reserve and commit, view and check; one writer",
    .modes = MODE_BLOCK | MODE_SPIN,
    .max_senders = 1,
    .copies_nothing = true,
    .setup = setup_in_place,
    .loan = loan,
    .publish = publish,
    .take = take,
    .give_back = give_back,
};
