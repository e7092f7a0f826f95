/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.c - a thread's notes and gos, and its virtual time */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../board.h"
#include "sink.h"

/* Interval at which a waiting thread checks that the coordinator still lives. */
#define SLICE_NS 500000000l

ach_status_t simc_sink_end(struct simc_sink *s)
{
    s->state = SIMC_SINK_GONE;
    simc_sink_unmask(s); /* the program may have a handler of SIGTERM */
    if (achi_sim_over)
        achi_sim_over();
    return ACH_CLOSED;
}

/* A dead coordinator that was not waited for still has its pid. */
static bool is_zombie(int32_t pid)
{
    char path[32], text[512];
    const char *end;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = syscall(SYS_read, fd, text, sizeof(text) - 1);
    syscall(SYS_close, fd);
    text[n > 0 ? n : 0] = '\0';
    end = strrchr(text, ')');
    return end && (end[2] == 'Z' || end[2] == 'X');
}

/* Unlink the channel "note" for a coordinator that was killed. */
static void clean_up(void)
{
    char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "sim.%s.note", simc_process.name);
    ach_unlink(name);
}

static bool coordinator_lives(void)
{
    const struct simc_process *p = &simc_process;
    ach_info_t info;

    if (p->coordinator &&
        ((kill(p->coordinator, 0) != 0 && errno == ESRCH) || is_zombie(p->coordinator))) {
        clean_up();
        return false;
    }
    return ach_channel_info(&p->note, &info) != ACH_OK || !(info.unlinked || info.replaced);
}

/* Retry on ACH_LOCKED: another writer may have been stopped during its put. */
static ach_status_t put_note(const struct sim_note *note, size_t size)
{
    ach_status_t r;

    do
        r = ach_put(&simc_process.note, note, size);
    while (r == ACH_LOCKED && coordinator_lives());
    return r;
}

ach_status_t simc_sink_tell(struct simc_sink *s, struct sim_note *note)
{
    simc_sink_mask(s);
    note->version = SIM_VERSION;
    note->pid = simc_pid();
    note->tid = simc_tid();
    note->serial = ++s->serial;
    note->time = s->now;
    note->cpu = s->cpu;
    note->begin = s->cpu - (s->now - s->base_time);
    return put_note(note,
                    offsetof(struct sim_note, events) + note->n_events * sizeof(note->events[0]));
}

/*
 * Apply a go. The first one that answers a note sets the time. Another one with the same serial
 * sets a new horizon, and the time only if it has a CPU time: the thread was stopped or blocked.
 */
static void take(struct simc_sink *s, const struct sim_go *go)
{
    bool again = s->last.serial == go->serial;

    s->last = *go;
    if (!s->slot && simc_process.board && go->slot && go->slot < SIM_BOARD_SLOTS) {
        s->slot = &simc_process.board->slots[go->slot];
        simc_sink_show(s);
    }
    if (again && (go->cpu < 0 || go->model != SIM_COST_MEASURED))
        return;
    s->base_time = go->time;
    if (go->cpu >= 0)
        s->base_cpu = go->cpu;
}

bool simc_sink_newest(struct simc_sink *s, int64_t wait_ns, struct sim_go *go)
{
    const struct timespec slice = {.tv_nsec = (long)wait_ns};
    int options = ACH_O_LAST | ACH_O_RELTIME | (wait_ns ? ACH_O_WAIT : 0);
    size_t size;
    ach_status_t r = ach_get(&s->go, go, sizeof(*go), &size, &slice, options);

    return (r == ACH_OK || r == ACH_MISSED_FRAME) && size == sizeof(*go) &&
           go->version == SIM_VERSION;
}

/* Replace the pending WAIT by one that ends now. */
static void wait_no_longer(struct simc_sink *s)
{
    struct sim_note note = *s->awaited;

    s->nudged = false;
    note.until = s->now;
    simc_sink_tell(s, &note);
}

/* A handler may put a note only while `awaited` is set: not during another put. */
static void set_awaited(struct simc_sink *s, const struct sim_note *note)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->awaited = note && note->kind == SIM_NOTE_WAIT ? note : NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (s->awaited && s->nudged)
        wait_no_longer(s);
}

void simc_nudge(void)
{
    struct simc_sink *s = &simc_sink_self;

    if (s->awaited)
        wait_no_longer(s);
    else if (s->inside)
        s->nudged = true;
}

/*
 * Sleep for a slice. pthread_cancel does not end this: callers check for it where they may be
 * canceled. Those that wait for a mutex may not.
 */
static bool sleep_for_go(struct simc_sink *s, struct sim_go *go)
{
    int cancelable;
    bool news;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    news = simc_sink_newest(s, SLICE_NS, go);
    pthread_setcancelstate(cancelable, NULL);
    return news;
}

/* Wait for the go that answers the newest note. */
static ach_status_t await_go(struct simc_sink *s, struct sim_go *go)
{
    for (;;) {
        if (sleep_for_go(s, go)) {
            if (go->end)
                return ACH_CLOSED;
            if (go->serial == *(volatile uint64_t *)&s->serial)
                return ACH_OK;
        } else if (!coordinator_lives()) {
            return ACH_CLOSED;
        } else if (s->awaited && achi_sim_disturbed && achi_sim_disturbed()) {
            wait_no_longer(s);
        }
    }
}

static void set_awaits(struct simc_sink *s, bool awaits)
{
    s->awaits = awaits;
    simc_sink_show(s);
}

ach_status_t simc_sink_await(struct simc_sink *s, const struct sim_note *note)
{
    struct sim_go go;
    int saved = errno;
    ach_status_t r;

    set_awaited(s, note);
    set_awaits(s, true);
    r = await_go(s, &go);
    set_awaits(s, false);
    set_awaited(s, NULL);
    while (r == ACH_OK && go.serial != s->serial) /* a handler has sent a note since */
        r = await_go(s, &go);
    s->nudged = false;
    if (r != ACH_OK)
        return simc_sink_end(s);
    take(s, &go);
    if (s->now < go.time)
        s->now = go.time;
    errno = saved;
    return ACH_OK;
}

ach_status_t simc_sink_ask(struct simc_sink *s, struct sim_note *note)
{
    ach_status_t r = simc_sink_tell(s, note);

    r = r == ACH_OK ? simc_sink_await(s, note) : simc_sink_end(s);
    simc_sink_thaw(s);
    return r;
}

/* The end of this clock read and the start of the next add up to one cost. */
void simc_sink_thaw(struct simc_sink *s)
{
    if (s->last.cpu >= 0)
        return; /* the go has set base_cpu */
    s->base_time = s->now;
    s->base_cpu = simc_sink_cpu() + simc_process.cost;
}

/*
 * By its CPU clock the thread is behind s->now: the calibrated cost was too high, perhaps because
 * the machine was busy when the process began.
 */
static void lower_cost(int64_t excess)
{
    if (excess <= simc_process.cost)
        simc_process.cost -= excess;
}

ach_status_t simc_sink_look(struct simc_sink *s)
{
    struct sim_note back = {.kind = SIM_NOTE_ACT};
    struct sim_go go;
    bool news = simc_sink_newest(s, 0, &go);
    int64_t t;

    if (news) {
        if (go.end)
            return simc_sink_end(s);
        if (go.serial == s->serial)
            take(s, &go);
    }
    t = s->base_time;
    if (s->last.model == SIM_COST_MEASURED) {
        s->cpu = simc_sink_cpu();
        t += s->cpu - s->base_cpu;
        s->base_cpu += simc_process.cost;
    }
    if (t < s->now && !news && s->last.model == SIM_COST_MEASURED)
        lower_cost(s->now - t);
    if (t < s->now)
        s->base_time += s->now - t; /* an excess that was subtracted is no credit for later */
    else
        s->now = t;
    return s->last.away ? simc_sink_ask(s, &back) : ACH_OK;
}
