/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * operations.c - the operations that crash_step.c kills at every instruction
 *
 * Each size is chosen for the path it takes through the code, and small, so that
 * a copy does not take thousands of steps. Rings are at least a page: 4096.
 */
#include "operations.h"

#include <string.h>
#include <unistd.h>

#include <check.h>

static const unsigned some[] = {40, 200, 8, 100, 0};
static const unsigned one[] = {40, 0};
static const unsigned small[] = {8, 16, 24, 32, 40, 48, 0};
static const unsigned to_the_end[] = {600, 600, 600, 600, 600, 600, 0};
static const unsigned rather_large[] = {300, 400, 300, 400, 300, 400, 300, 400, 300, 40, 400, 0};
static const unsigned large_only[] = {2000, 2100, 2050, 0};

static enum ach_status put(struct world *w)
{
    return ach_put(&w->own, w->buf, w->op->size);
}

static void reserve(struct world *w)
{
    void *p;

    if (ach_reserve(&w->own, w->op->size, &p) != ACH_OK)
        _exit(2);
    memcpy(p, w->buf, w->op->size);
}

static enum ach_status reserve_commit(struct world *w)
{
    void *p;
    enum ach_status r = ach_reserve(&w->own, w->op->size, &p);

    if (r != ACH_OK)
        return r;
    memcpy(p, w->buf, w->op->size);
    return ach_commit(&w->own, w->op->size);
}

static enum ach_status reserve_abort(struct world *w)
{
    void *p;
    enum ach_status r = ach_reserve(&w->own, 3000, &p);

    if (r != ACH_OK)
        return r;
    memset(p, 0xee, 300);
    return ach_abort(&w->own);
}

static enum ach_status commit(struct world *w)
{
    return ach_commit(&w->own, w->op->size);
}

static enum ach_status get_with(struct world *w, int options)
{
    size_t size;

    return ach_get(&w->own, w->buf, sizeof(w->buf), &size, NULL, options);
}

static enum ach_status get_first(struct world *w)
{
    return get_with(w, 0);
}

static enum ach_status get_last(struct world *w)
{
    return get_with(w, ACH_O_LAST);
}

static void get_ready(struct world *w)
{
    get_with(w, ACH_O_LAST);
}

static enum ach_status get_copy(struct world *w)
{
    return get_with(w, ACH_O_COPY);
}

static enum ach_status get_wait(struct world *w)
{
    return get_with(w, ACH_O_WAIT);
}

static enum ach_status view(struct world *w)
{
    const void *p;
    size_t size;
    enum ach_status r = ach_view(&w->own, &p, &size, NULL, ACH_O_LAST);

    if (r != ACH_OK && r != ACH_MISSED_FRAME)
        return r;
    memcpy(w->buf, p, size);
    return ach_view_check(&w->own);
}

static enum ach_status wait_many(struct world *w)
{
    ach_wait_item_t item = {.chan = &w->own};

    return ach_wait(&item, 1, NULL, 0);
}

static enum ach_status flush(struct world *w)
{
    return ach_flush(&w->own);
}

static enum ach_status cancel(struct world *w)
{
    return ach_cancel(&w->own, NULL);
}

static enum ach_status create(struct world *w)
{
    return ach_create(WORLD_NAME, w->op->frames, w->op->frame_size, NULL);
}

static enum ach_status replace(struct world *w)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    return ach_create(WORLD_NAME, w->op->frames, w->op->frame_size, &attr);
}

static void close_own(struct world *w)
{
    ach_close(&w->own);
}

static enum ach_status open_channel(struct world *w)
{
    return ach_open(&w->own, WORLD_NAME, NULL);
}

static enum ach_status open_source(struct world *w)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    return ach_open(&w->own, WORLD_NAME, &attr);
}

static enum ach_status close_channel(struct world *w)
{
    return ach_close(&w->own);
}

static enum ach_status unlink_channel(struct world *w)
{
    (void)w;
    return ach_unlink(WORLD_NAME);
}

#define PUT(name_, run_, frames_, frame_size_, fill_, size_, ...)                                  \
    {                                                                                              \
        .name = (name_), .frames = (frames_), .frame_size = (frame_size_), .fill = (fill_),        \
        .size = (size_), .effect = EFFECT_PUT, .run = (run_), __VA_ARGS__                          \
    }
#define ON(name_, fill_, run_, effect_, ...)                                                       \
    {                                                                                              \
        .name = (name_), .frames = 8, .frame_size = 200, .fill = (fill_), .run = (run_),           \
        .effect = (effect_), __VA_ARGS__                                                           \
    }

const struct operation operations[] = {
    PUT("put, small", put, 8, 64, some, 40),
    PUT("put, the first message", put, 8, 64, NULL, 40),
    PUT("put, the first of a thread", put, 8, 64, some, 40, .flags = W_COLD),
    PUT("put, small, pushing out by count", put, 3, 64, small, 56),
    PUT("put, one frame", put, 1, 64, one, 64),
    PUT("put, in the ring", put, 8, 200, some, 150),
    PUT("put, over the ring's end", put, 8, 256, to_the_end, 700),
    PUT("put, pushing out several", put, 16, 128, rather_large, 1600),
    PUT("put, as large as can be", put, 7, 300, large_only, 2100),
    PUT("put, one large frame", put, 1, 2100, large_only, 2100),
    PUT("put, with timestamps", put, 8, 200, some, 150, .flags = W_TIMESTAMPS),
    PUT("put, a reader asleep", put, 8, 200, some, 150, .company = SLEEPER),
    PUT("put, small, a reader asleep", put, 8, 200, some, 40, .company = SLEEPER),
    PUT("put, a read-only reader asleep", put, 8, 200, some, 40, .company = SLEEPER_READONLY),
    PUT("put, lock held", put, 8, 200, some, 150, .company = HOLDER),
    PUT("put, lock held by one who dies", put, 8, 200, some, 150, .company = HOLDER_DIES),
    PUT("put, lock held by the dead", put, 8, 200, some, 150, .company = HOLDER_DEAD),
    PUT("put, single writer", put, 8, 200, some, 150, .flags = W_SINGLE_WRITER),
    PUT("reserve and commit in place", reserve_commit, 8, 200, some, 150, .flags = W_SINGLE_WRITER),
    PUT("reserve and commit, pushing out", reserve_commit, 16, 128, rather_large, 1600,
        .flags = W_SINGLE_WRITER),
    PUT("commit in place, a reader asleep", commit, 8, 200, some, 150, .flags = W_SINGLE_WRITER,
        .company = SLEEPER, .ready = reserve),
    PUT("reserve and commit, private", reserve_commit, 8, 200, some, 150),
    PUT("commit, private", commit, 8, 200, some, 150, .ready = reserve),
    {.name = "reserve and abort in place",
     .frames = 16,
     .frame_size = 200,
     .fill = rather_large,
     .run = reserve_abort,
     .flags = W_SINGLE_WRITER},
    {.name = "reserve and abort, private",
     .frames = 16,
     .frame_size = 200,
     .fill = rather_large,
     .run = reserve_abort},
    ON("get, the oldest", some, get_first, EFFECT_NONE),
    ON("get, the newest", some, get_last, EFFECT_NONE, .status = ACH_MISSED_FRAME),
    ON("get, the same again", some, get_copy, EFFECT_NONE, .ready = get_ready),
    ON("get, nothing new", some, get_first, EFFECT_NONE, .ready = get_ready, .status = ACH_EAGAIN),
    ON("get, waiting", some, get_wait, EFFECT_NONE, .ready = get_ready, .company = PUTTER),
    ON("wait for many", some, wait_many, EFFECT_NONE, .ready = get_ready, .company = PUTTER),
    ON("view and check", some, view, EFFECT_NONE),
    ON("flush", some, flush, EFFECT_NONE),
    ON("cancel", some, cancel, EFFECT_NONE),
    ON("open", some, open_channel, EFFECT_NONE, .ready = close_own),
    ON("open as source", some, open_source, EFFECT_NONE, .ready = close_own),
    ON("close", some, close_channel, EFFECT_NONE),
    ON("close as source", some, close_channel, EFFECT_NONE, .flags = W_SINGLE_WRITER),
    ON("create", NULL, create, EFFECT_CREATE),
    ON("create in the place of another", some, replace, EFFECT_REPLACE),
    ON("unlink", some, unlink_channel, EFFECT_UNLINK),
};

const unsigned operations_count = sizeof(operations) / sizeof(operations[0]);
