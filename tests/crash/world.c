/* SPDX-License-Identifier: BSD-3-Clause */
#include "world.h"

#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "../../src/core/layout.h"

/* A lock timeout that is not reached even on a busy machine. */
#define PATIENT_NS check_time(20000000000ull)

#define TAG_FILL 1000u
#define TAG_HOLDER 2000u
#define TAG_OPERATION 3000u

void message_fill(unsigned char *buf, const struct message *m)
{
    uint64_t state = m->tag, word = 0;
    unsigned i;

    for (i = 0; i < m->size; i++) {
        if (i % 8 == 0)
            word = check_random(&state);
        buf[i] = (unsigned char)(word >> (i % 8 * 8));
    }
}

/* Open a view of the newest message, and keep it open. */
static bool view_newest(struct world *w)
{
    ach_channel_t *chan = &w->viewers[w->count];
    size_t size;
    enum ach_status r;

    if (w->op->effect != EFFECT_PUT || w->count >= WORLD_VIEWERS)
        return true;
    if (ach_open(chan, WORLD_NAME, NULL) != ACH_OK)
        return false;
    r = ach_view(chan, &w->viewed[w->count], &size, NULL, ACH_O_LAST);
    return (r == ACH_OK || r == ACH_MISSED_FRAME) && size == w->said[w->count].size;
}

static bool fill(struct world *w)
{
    const unsigned *size = w->op->fill;
    ach_channel_t chan;
    ach_attr_t attr;
    bool ok;

    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    if (ach_open(&chan, WORLD_NAME, &attr) != ACH_OK)
        return false;
    for (ok = true; size && *size && ok; size++) {
        struct message *m = &w->said[++w->count];

        *m = (struct message){.tag = TAG_FILL + w->count, .size = *size};
        message_fill(w->buf, m);
        ok = ach_put(&chan, w->buf, m->size) == ACH_OK && view_newest(w);
    }
    return ach_close(&chan) == ACH_OK && ok;
}

/* Get all messages but the newest. */
static bool see_all_but_one(struct world *w)
{
    ach_info_t info;
    uint64_t seq;
    size_t size;

    if (ach_channel_info(&w->before, &info) != ACH_OK)
        return false;
    w->had = (struct range){info.oldest, info.newest};
    w->recovered = info.recovered;
    w->inode = info.inode;
    for (seq = info.oldest; seq && seq < info.newest; seq++) {
        enum ach_status r = ach_get(&w->before, w->buf, sizeof(w->buf), &size, NULL, 0);

        if (r != ACH_OK && r != ACH_MISSED_FRAME)
            return false;
    }
    return ach_channel_seq(&w->before, &w->seen) == ACH_OK;
}

static bool make_channel(struct world *w)
{
    const struct operation *op = w->op;
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    ach_create_attr_set_timestamps(&attr, (op->flags & W_TIMESTAMPS) != 0);
    ach_create_attr_set_single_writer(&attr, (op->flags & W_SINGLE_WRITER) != 0);
    ach_create_attr_set_readonly_wake(&attr, op->company == SLEEPER_READONLY);
    return ach_create(WORLD_NAME, op->frames, op->frame_size, &attr) == ACH_OK && fill(w) &&
           ach_open(&w->before, WORLD_NAME, NULL) == ACH_OK && see_all_but_one(w);
}

static void sleeper(struct world *w)
{
    ach_channel_t chan;
    ach_attr_t attr;
    size_t size;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ach_attr_init(&attr);
    ach_attr_set_readonly(&attr, w->op->company == SLEEPER_READONLY);
    if (ach_open(&chan, WORLD_NAME, &attr) != ACH_OK || ach_flush(&chan) != ACH_OK)
        _exit(2);
    *w->returned = ACH_TIMEOUT;
    if (ach_get(&chan, w->buf, sizeof(w->buf), &size, NULL, ACH_O_WAIT) != ACH_OK)
        _exit(3);
    _exit(0);
}

static bool start_sleeper(struct world *w)
{
    volatile enum ach_status *about_to = w->returned;

    fflush(NULL);
    *about_to = ACH_BUG;
    w->sleeper = fork();
    if (w->sleeper == 0)
        sleeper(w);
    while (*about_to == ACH_BUG && check_state(w->sleeper) != 'Z')
        sched_yield();
    return w->sleeper > 0 && process_sleeps(w->sleeper);
}

/* The child opens a handle of its own: a source lock would be shared with its parent. */
static void open_own(struct world *w)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_timeout(&attr, PATIENT_NS);
    ach_attr_set_lock_source(&attr, (w->op->flags & W_SINGLE_WRITER) != 0);
    if (ach_open(&w->own, WORLD_NAME, &attr) != ACH_OK)
        _exit(2);
}

/* A thread's first put makes system calls to find its thread id: do that before the operation. */
static void warm_up(void)
{
    ach_channel_t spare;

    if (ach_open(&spare, WORLD_SPARE, NULL) != ACH_OK || ach_put(&spare, "x", 1) != ACH_OK ||
        ach_close(&spare) != ACH_OK)
        _exit(2);
}

static void operation_ready(void *cx)
{
    struct world *w = cx;

    if (!(w->op->flags & W_COLD))
        warm_up();
    if (w->op->effect != EFFECT_CREATE)
        open_own(w);
    message_fill(w->buf, &(struct message){w->source_tag, w->op->size});
    if (w->op->ready)
        w->op->ready(w);
}

static void operation_run(void *cx)
{
    struct world *w = cx;

    *w->returned = w->op->run(w);
}

static void holder_ready(void *cx)
{
    struct world *w = cx;

    warm_up();
    open_own(w);
    message_fill(w->buf, &(struct message){TAG_HOLDER, w->op->size});
}

static void holder_run(void *cx)
{
    struct world *w = cx;

    if (ach_put(&w->own, w->buf, w->op->size) != ACH_OK)
        _exit(3);
}

/* Step a writer until it holds the lock. */
static bool start_holder(struct world *w)
{
    volatile const uint32_t *lock = &w->before.shm->lock;
    unsigned i;

    w->holder = (struct trace){.ready = holder_ready, .run = holder_run, .cx = w};
    if (!trace_start(&w->holder))
        return false;
    for (i = 0; i < 10000 && *lock == 0; i++)
        if (trace_step(&w->holder) == TRACE_LOST)
            return false;
    return *lock != 0;
}

static void unblock(void *cx)
{
    world_settle(cx);
}

static bool start_company(struct world *w)
{
    switch (w->op->company) {
    case SLEEPER:
    case SLEEPER_READONLY:
        return start_sleeper(w);
    case HOLDER:
    case HOLDER_DIES:
        w->trace.unblock = unblock;
        return start_holder(w);
    case HOLDER_DEAD:
        if (!start_holder(w))
            return false;
        world_settle(w);
        return true;
    case PUTTER:
        w->trace.unblock = unblock;
        return true;
    default:
        return true;
    }
}

/* The operation's message is the next one, or the one after the holder's. */
static void expect_message(struct world *w)
{
    unsigned next = w->count + 1 + (w->op->company == HOLDER);

    w->source_tag = TAG_OPERATION;
    w->said[next] = (struct message){w->source_tag, w->op->size};
}

bool world_make(struct world *w, const struct operation *op)
{
    enum ach_status *returned = w->returned;

    memset(w, 0, sizeof(*w));
    w->returned = returned;
    w->op = op;
    w->trace = (struct trace){.ready = operation_ready, .run = operation_run, .cx = w};
    if (op->effect != EFFECT_CREATE && !make_channel(w)) {
        complain("cannot make the channel: %s", ach_errstr());
        return false;
    }
    expect_message(w);
    if (!start_company(w) || !trace_start(&w->trace)) {
        complain("cannot start the processes");
        return false;
    }
    return true;
}

static void put_more(struct world *w)
{
    struct message *m = &w->said[++w->count];

    *m = (struct message){TAG_FILL + w->count, 40};
    message_fill(w->buf, m);
    if (ach_put(&w->before, w->buf, m->size) != ACH_OK)
        complain("the message to wait for cannot be put");
}

void world_settle(struct world *w)
{
    if (w->settled)
        return;
    w->settled = true;
    switch (w->op->company) {
    case HOLDER:
        w->said[++w->count] = (struct message){TAG_HOLDER, w->op->size};
        trace_release(&w->holder);
        break;
    case HOLDER_DIES:
    case HOLDER_DEAD:
        trace_kill(&w->holder);
        break;
    case PUTTER:
        put_more(w);
        break;
    default:
        break;
    }
}

void world_end(struct world *w)
{
    unsigned i;

    if (w->trace.pid > 0) {
        trace_kill(&w->trace);
        trace_reap(&w->trace);
    }
    if (w->holder.pid > 0) {
        trace_kill(&w->holder);
        trace_reap(&w->holder);
    }
    if (w->sleeper > 0) {
        kill(w->sleeper, SIGKILL);
        waitpid(w->sleeper, NULL, 0);
    }
    if (w->before.priv)
        ach_close(&w->before);
    for (i = 0; i < WORLD_VIEWERS; i++)
        if (w->viewers[i].priv)
            ach_close(&w->viewers[i]);
    ach_unlink(WORLD_NAME);
}
