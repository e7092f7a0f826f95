/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - finds the simulation; HELLO and BYE of threads; children of fork */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sink.h"

#define GO_FRAMES 4
#define CALIBRATIONS 63
#define NS_PER_S 1000000000ll

/* All sinks of the process, to unlink their channels at exit. */
static struct simc_sink *sinks;
static char sinks_lock;

static void lock(char *word)
{
    while (__atomic_test_and_set(word, __ATOMIC_ACQUIRE))
        sched_yield();
}

static void unlock(char *word)
{
    __atomic_clear(word, __ATOMIC_RELEASE);
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/*
 * CPU time of reading the virtual time once. Takes a low quantile: interrupts make samples longer,
 * and a cost that is too high would be subtracted from the controller's own CPU time.
 */
static int64_t calibrate(struct simc_sink *s)
{
    int64_t took[CALIBRATIONS], before = simc_sink_cpu();
    struct sim_go go = {0};
    int i;

    for (i = 0; i < CALIBRATIONS; i++) {
        int64_t now;

        simc_sink_newest(s, 0, &go);
        now = simc_sink_cpu();

        took[i] = now - before;
        before = now;
    }
    qsort(took, CALIBRATIONS, sizeof(took[0]), by_size);
    return took[CALIBRATIONS / 8];
}

/* Seconds with a fraction, parsed in two parts: a double has too few digits. */
static int64_t parse_epoch(const char *text)
{
    char *end;
    long long seconds;

    if (!text)
        return 0;
    seconds = strtoll(text, &end, 10);
    return seconds * NS_PER_S + (*end == '.' ? (int64_t)(strtod(end, NULL) * 1e9 + 0.5) : 0);
}

static void go_name(char *name, int32_t tid)
{
    snprintf(name, ACH_CHAN_NAME_MAX, "sim.%s.go.%d", simc_process.name, (int)tid);
}

/* The child has one thread, which is a new sink. */
static void after_fork(void)
{
    struct simc_sink *s = &simc_sink_self;
    uint32_t parent = (uint32_t)s->tid;

    ach_close(&s->go);
    memset(s, 0, sizeof(*s));
    s->parent = parent;
    sinks = NULL;
    unlock(&sinks_lock);
    simc_process.pid = 0;
    simc_sink_tie(&simc_process);
}

static void strike_off(struct simc_sink *s)
{
    struct simc_sink **p;

    lock(&sinks_lock);
    for (p = &sinks; *p && *p != s; p = &(*p)->next)
        ;
    if (*p)
        *p = s->next;
    unlock(&sinks_lock);
}

static void bye(sim_event_t event, bool all)
{
    struct simc_sink *s = &simc_sink_self;
    struct sim_note post = {.kind = SIM_NOTE_POST, .n_events = 1, .events = {event}};
    struct sim_note bye = {.kind = SIM_NOTE_BYE, .parent = all};
    const bool inside = s->inside++; /* calls below are the client's own */
    char name[ACH_CHAN_NAME_MAX];

    simc_critical();
    if (s->state == SIMC_SINK_ON && !inside)
        simc_sink_look(s);
    if (s->state == SIMC_SINK_ON) {
        if (event != SIM_EVENT_POLL)
            simc_sink_tell(s, &post);
        simc_sink_tell(s, &bye);
    }
    s->slot = NULL; /* the coordinator may assign it to another thread now */
    if (s->state != SIMC_SINK_NEW && s->go.priv) {
        strike_off(s);
        ach_close(&s->go);
        go_name(name, s->tid);
        ach_unlink(name);
    }
    s->state = SIMC_SINK_GONE;
    s->inside--;
    simc_sink_unmask(s);
}

void simc_refused(void)
{
    struct simc_sink *s = &simc_sink_self;
    struct sim_note note = {.kind = SIM_NOTE_REFUSED};

    if (simc_process.mode == SIMC_MODE_ON)
        simc_sink_tell(s, &note);
    simc_exit();
}

/* Threads that still run send no BYE of their own. */
__attribute__((destructor)) void simc_exit(void)
{
    struct simc_sink *s;
    char name[ACH_CHAN_NAME_MAX];

    if (simc_process.mode != SIMC_MODE_ON)
        return;
    bye(SIM_EVENT_POLL, true);
    lock(&sinks_lock);
    for (s = sinks; s; s = s->next) {
        go_name(name, s->tid);
        ach_unlink(name);
    }
    sinks = NULL;
    unlock(&sinks_lock);
}

/* Print why this thread cannot take part, and fail the run. The caller ends the process. */
static void cannot_join(struct simc_sink *s, ach_status_t why)
{
    struct sim_note note = {.kind = SIM_NOTE_REFUSED};
    const char *name = secure_getenv("ACH_SIM_NAME");
    char text[512];
    int n = snprintf(text, sizeof(text),
                     "ach sim: controller %s: process %d cannot take part in the simulation: %s\n",
                     name ? name : "?", (int)simc_pid(),
                     *ach_errstr() ? ach_errstr() : ach_result_to_string(why));

    syscall(SYS_write, 2, text, n < (int)sizeof(text) ? n : (int)sizeof(text) - 1);
    if (simc_process.mode == SIMC_MODE_ON)
        simc_sink_tell(s, &note);
}

static int find_simulation(struct simc_process *p)
{
    const char *name = secure_getenv("ACH_SIM"), *pid = secure_getenv("ACH_SIM_PID");
    char channel[ACH_CHAN_NAME_MAX];
    ach_status_t r;

    if (!name || !*name || strlen(name) >= sizeof(p->name))
        return SIMC_MODE_OFF;
    if (simc_early)
        simc_early();
    strcpy(p->name, name);
    p->coordinator = pid ? (int32_t)strtol(pid, NULL, 10) : 0;
    p->epoch = parse_epoch(secure_getenv("ACH_SIM_EPOCH"));
    pthread_atfork(NULL, NULL, after_fork);
    snprintf(channel, sizeof(channel), "sim.%s.note", name);
    r = ach_open(&p->note, channel, NULL);
    if (r != ACH_OK && r != ACH_ENOENT) /* ACH_ENOENT: the simulation is over */
        cannot_join(&simc_sink_self, r);
    if (r != ACH_OK)
        simc_sink_end(&simc_sink_self);
    p->board = simc_sink_board(name);
    simc_sink_tie(p);
    return SIMC_MODE_ON;
}

bool simc_active(void)
{
    static char once;
    int mode = __atomic_load_n(&simc_process.mode, __ATOMIC_ACQUIRE);

    if (__builtin_expect(mode != SIMC_MODE_UNKNOWN, 1))
        return mode == SIMC_MODE_ON;
    if (simc_sink_self.inside)
        return false;
    simc_sink_self.inside++;
    lock(&once);
    if (simc_process.mode == SIMC_MODE_UNKNOWN) {
        int saved = errno;

        mode = find_simulation(&simc_process);
        __atomic_store_n(&simc_process.mode, mode, __ATOMIC_RELEASE);
        errno = saved;
    }
    unlock(&once);
    simc_sink_self.inside--;
    return simc_process.mode == SIMC_MODE_ON;
}

bool simc_free(void)
{
    return simc_active() && !simc_sink_self.inside && simc_sink_self.state != SIMC_SINK_GONE;
}

/* Truncates a go channel left by an earlier process with this id, or by this one before exec. */
static ach_status_t make_go(struct simc_sink *s)
{
    ach_create_attr_t attr;
    char name[ACH_CHAN_NAME_MAX];
    ach_status_t r;

    go_name(name, simc_tid());
    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    r = ach_create(name, GO_FRAMES, sizeof(struct sim_go), &attr);
    return r == ACH_OK ? ach_open(&s->go, name, NULL) : r;
}

static uint32_t parent_of(const struct simc_sink *s, uint32_t parent)
{
    int32_t pid = getppid();

    if (parent || s->parent)
        return parent ? parent : s->parent;
    return simc_tid() != simc_pid() || pid == simc_process.coordinator ? 0 : (uint32_t)pid;
}

static void enlist(struct simc_sink *s)
{
    lock(&sinks_lock);
    s->next = sinks;
    sinks = s;
    unlock(&sinks_lock);
}

ach_status_t simc_hello(uint32_t parent, void (*told)(void *cx), void *cx)
{
    struct simc_sink *s = &simc_sink_self;
    struct sim_note note = {.kind = SIM_NOTE_HELLO};
    ach_status_t r;

    if (!simc_active() || s->state != SIMC_SINK_NEW || s->inside)
        return ACH_OK;
    s->inside++;
    simc_critical();
    r = make_go(s);
    if (r != ACH_OK) {
        cannot_join(s, r); /* before the parent goes on */
    } else {
        if (!simc_process.cost)
            simc_process.cost = calibrate(s);
        note.until = simc_process.cost;
        note.parent = parent_of(s, parent);
        note.since = simc_process.board != NULL;
        enlist(s);
        s->state = SIMC_SINK_ON;
        s->cpu = simc_sink_cpu();
        r = simc_sink_tell(s, &note);
    }
    if (told)
        told(cx);
    r = r == ACH_OK ? simc_sink_await(s, &note) : simc_sink_end(s);
    simc_sink_thaw(s);
    simc_uncritical();
    s->inside--;
    simc_sink_unmask(s);
    return r;
}

void simc_bye(sim_event_t event)
{
    bye(event, false);
}

struct simc_sink *simc_sink(void)
{
    struct simc_sink *s = &simc_sink_self;

    if (!simc_active())
        return NULL;
    if (__builtin_expect(s->state == SIMC_SINK_NEW, 0))
        simc_hello(0, NULL, NULL);
    return s->state == SIMC_SINK_ON ? s : NULL;
}
