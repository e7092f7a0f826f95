/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.c - a thread's virtual time, and its talk with the coordinator */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../board.h"
#include "sink.h"

/* The coordinator wakes who waits; whether it still lives is looked at so often. */
#define SLICE_NS 500000000l

void achi_sink_mask(struct achi_sink *s)
{
    uint64_t handled = __atomic_load_n(&achi_sim_handled, __ATOMIC_RELAXED);

    if (s->masked || !handled)
        return;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &handled, &s->mask, sizeof(s->mask));
    s->masked = true;
}

void achi_sink_unmask(struct achi_sink *s)
{
    if (!s->masked)
        return;
    s->masked = false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, sizeof(s->mask));
}

ach_status_t achi_sink_end(struct achi_sink *s)
{
    s->state = ACHI_SINK_GONE;
    achi_sink_unmask(s); /* the program may have a handler of SIGTERM */
    if (achi_sim_over)
        achi_sim_over();
    return ACH_CLOSED;
}

/* A process whose parent has not taken notice of its end is dead too. */
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

/* It cannot clean up any more. */
static void clean_up(void)
{
    char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "sim.%s.note", achi_sim_process.name);
    ach_unlink(name);
}

static bool coordinator_lives(void)
{
    const struct achi_sim_process *p = &achi_sim_process;
    ach_info_t info;

    if (p->coordinator &&
        ((kill(p->coordinator, 0) != 0 && errno == ESRCH) || is_zombie(p->coordinator))) {
        clean_up();
        return false;
    }
    return ach_channel_info(&p->note, &info) != ACH_OK || !(info.unlinked || info.replaced);
}

/* Another writer may have been stopped in the midst of its put. */
static ach_status_t put_note(const struct achi_note *note, size_t size)
{
    ach_status_t r;

    do
        r = ach_put(&achi_sim_process.note, note, size);
    while (r == ACH_LOCKED && coordinator_lives());
    return r;
}

ach_status_t achi_sink_tell(struct achi_sink *s, struct achi_note *note)
{
    achi_sink_mask(s);
    note->version = ACHI_SIM_VERSION;
    note->pid = achi_sim_pid();
    note->tid = achi_sim_tid();
    note->serial = ++s->serial;
    note->time = s->now;
    note->cpu = s->cpu;
    note->begin = s->cpu - (s->now - s->base_time);
    return put_note(note,
                    offsetof(struct achi_note, events) + note->n_events * sizeof(note->events[0]));
}

/*
 * The newest go. One that answers a note gives the time. One more with the same serial
 * gives a new horizon, and the time only if the thread was stopped in its work.
 */
static void take(struct achi_sink *s, const struct achi_go *go)
{
    bool again = s->last.serial == go->serial;

    s->last = *go;
    if (!s->slot && achi_sim_process.board && go->slot && go->slot < ACHI_BOARD_SLOTS) {
        s->slot = &achi_sim_process.board->slots[go->slot];
        achi_sink_show(s);
    }
    if (again && (go->cpu < 0 || go->model != ACHI_COST_MEASURED))
        return;
    s->base_time = go->time;
    if (go->cpu >= 0)
        s->base_cpu = go->cpu;
}

bool achi_sink_newest(struct achi_sink *s, int64_t wait_ns, struct achi_go *go)
{
    const struct timespec slice = {.tv_nsec = (long)wait_ns};
    int options = ACH_O_LAST | ACH_O_RELTIME | (wait_ns ? ACH_O_WAIT : 0);
    size_t size;
    ach_status_t r = ach_get(&s->go, go, sizeof(*go), &size, &slice, options);

    return (r == ACH_OK || r == ACH_MISSED_FRAME) && size == sizeof(*go) &&
           go->version == ACHI_SIM_VERSION;
}

/* A new note takes the place of the one that the thread waits with. */
static void wait_no_longer(struct achi_sink *s)
{
    struct achi_note note = *s->awaited;

    s->nudged = false;
    note.until = s->now;
    achi_sink_tell(s, &note);
}

/* While a go is awaited, but not while a note is being put, a handler may put a note itself. */
static void set_awaited(struct achi_sink *s, const struct achi_note *note)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    s->awaited = note && note->kind == ACHI_NOTE_WAIT ? note : NULL;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (s->awaited && s->nudged)
        wait_no_longer(s);
}

void achi_sim_nudge(void)
{
    struct achi_sink *s = &achi_sink_self;

    if (s->awaited)
        wait_no_longer(s);
    else if (s->inside)
        s->nudged = true;
}

/* Until the go is here that answers the newest note. */
static ach_status_t await_go(struct achi_sink *s, struct achi_go *go)
{
    for (;;) {
        if (achi_sink_newest(s, SLICE_NS, go)) {
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

static void set_awaits(struct achi_sink *s, bool awaits)
{
    s->awaits = awaits;
    achi_sink_show(s);
}

ach_status_t achi_sink_await(struct achi_sink *s, const struct achi_note *note)
{
    struct achi_go go;
    int saved = errno;
    ach_status_t r;

    set_awaited(s, note);
    set_awaits(s, true);
    r = await_go(s, &go);
    set_awaits(s, false);
    set_awaited(s, NULL);
    while (r == ACH_OK && go.serial != s->serial) /* a handler came at the last moment */
        r = await_go(s, &go);
    s->nudged = false;
    if (r != ACH_OK)
        return achi_sink_end(s);
    take(s, &go);
    if (s->now < go.time)
        s->now = go.time;
    errno = saved;
    return ACH_OK;
}

ach_status_t achi_sink_ask(struct achi_sink *s, struct achi_note *note)
{
    ach_status_t r = achi_sink_tell(s, note);

    r = r == ACH_OK ? achi_sink_await(s, note) : achi_sink_end(s);
    achi_sink_thaw(s);
    return r;
}

/* The end of this reading of the clock and the beginning of the next make up one whole. */
void achi_sink_thaw(struct achi_sink *s)
{
    if (s->last.cpu >= 0)
        return; /* the coordinator has said it */
    s->base_time = s->now;
    s->base_cpu = achi_sink_cpu() + achi_sim_process.cost;
}

/*
 * By its CPU clock the thread is behind what was said last: a call costs less than was found when
 * the process began, on a busy machine perhaps.
 */
static void lower_cost(int64_t excess)
{
    if (excess <= achi_sim_process.cost)
        achi_sim_process.cost -= excess;
}

/* What came since; then what time it is. */
static ach_status_t look(struct achi_sink *s)
{
    struct achi_note back = {.kind = ACHI_NOTE_ACT};
    struct achi_go go;
    bool news = achi_sink_newest(s, 0, &go);
    int64_t t;

    if (news) {
        if (go.end)
            return achi_sink_end(s);
        if (go.serial == s->serial)
            take(s, &go);
    }
    t = s->base_time;
    if (s->last.model == ACHI_COST_MEASURED) {
        s->cpu = achi_sink_cpu();
        t += s->cpu - s->base_cpu;
        s->base_cpu += achi_sim_process.cost;
    }
    if (t < s->now && !news && s->last.model == ACHI_COST_MEASURED)
        lower_cost(s->now - t);
    if (t < s->now)
        s->base_time += s->now - t; /* what was subtracted too much is no credit for later */
    else
        s->now = t;
    return s->last.away ? achi_sink_ask(s, &back) : ACH_OK;
}

/* The calling thread's sink, unless it is in here already. */
static struct achi_sink *enter(void)
{
    struct achi_sink *s = achi_sink();

    if (!s || s->inside)
        return NULL;
    s->inside++;
    achi_sim_critical();
    return s;
}

static void leave(struct achi_sink *s)
{
    s->inside--;
    achi_sim_uncritical();
    achi_sink_unmask(s);
}

void achi_sim_hold(void)
{
    achi_sink_self.inside++;
}

void achi_sim_release(void)
{
    achi_sink_self.inside--;
}

static ach_status_t outcome_without_sink(void)
{
    return achi_sink_self.inside ? ACH_OK : ACH_CLOSED;
}

int64_t achi_sim_now(void)
{
    struct achi_sink *s = enter();

    if (s) {
        look(s);
        leave(s);
    }
    return achi_sink_self.now;
}

ach_status_t achi_sim_act(void)
{
    struct achi_note note = {.kind = ACHI_NOTE_ACT};
    struct achi_sink *s = enter();
    ach_status_t r;

    if (!s)
        return outcome_without_sink();
    r = look(s);
    if (r == ACH_OK && s->now > s->last.horizon)
        r = achi_sink_ask(s, &note);
    leave(s);
    return r;
}

static void charge(struct achi_sink *s)
{
    if (s->last.model != ACHI_COST_DECLARED || s->spent)
        return;
    s->spent = true;
    s->base_time += s->last.cost;
    if (s->now < s->base_time)
        s->now = s->base_time;
}

void achi_sim_charge(void)
{
    struct achi_sink *s = enter();

    if (!s)
        return;
    charge(s);
    leave(s);
}

void achi_sim_cycle(void)
{
    if (!achi_sink_self.inside)
        achi_sink_self.spent = false;
}

bool achi_sim_spent(void)
{
    return achi_sink_self.spent;
}

void achi_sim_set_spent(bool spent)
{
    achi_sink_self.spent = spent;
}

ach_status_t achi_sim_post(achi_event_t event)
{
    struct achi_note note = {.kind = ACHI_NOTE_POST, .n_events = 1, .events = {event}};
    struct achi_sink *s = enter();
    ach_status_t r;

    if (!s)
        return outcome_without_sink();
    r = look(s);
    if (r == ACH_OK)
        r = achi_sink_ask(s, &note);
    leave(s);
    return r;
}

uint64_t achi_sim_posts(void)
{
    return achi_sink_self.last.posts;
}

void achi_sim_yield(void)
{
    bool timed;

    if (achi_sink_self.last.model == ACHI_COST_MEASURED)
        achi_sim_act();
    else
        achi_sim_wait(achi_sim_now() + ACHI_YIELD_NS, NULL, 0, 0, &timed);
}

/* Too many to name: any step of the world will do for the rest. */
static void name_events(struct achi_note *note, const achi_event_t *events, unsigned n)
{
    unsigned i;

    for (i = 0; i < n && i < ACHI_SIM_EVENTS; i++)
        note->events[i] = events[i];
    note->n_events = i;
    if (i < n)
        note->events[ACHI_SIM_EVENTS - 1] = ACHI_EVENT_POLL;
}

ach_status_t achi_sim_wait(int64_t until, const achi_event_t *events, unsigned n, uint64_t since,
                           bool *timed)
{
    struct achi_note note = {.kind = ACHI_NOTE_WAIT, .until = until, .since = since};
    struct achi_sink *s = enter();
    ach_status_t r;

    *timed = true;
    if (!s)
        return outcome_without_sink();
    r = look(s);
    charge(s);
    name_events(&note, events, n);
    if (r == ACH_OK)
        r = achi_sink_ask(s, &note);
    *timed = r != ACH_OK || (s->last.timed && s->now >= until); /* it may have been nudged */
    leave(s);
    return r;
}
