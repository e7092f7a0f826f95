/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - is there a simulation? Threads that come and go, and children of fork */
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

struct achi_sim_process achi_sim_process;
void (*achi_sim_over)(void);
bool (*achi_sim_disturbed)(void);
uint64_t achi_sim_handled;

__thread struct achi_sink achi_sink_self __attribute__((tls_model("initial-exec")));

/* All sinks of the process, so that their channels go when it exits. */
static struct achi_sink *sinks;
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

int64_t achi_sink_cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/*
 * What it costs to find out the time. A low one of many: one that is disturbed takes longer, and
 * what is subtracted too much is lost to the account of the controller.
 */
static int64_t calibrate(struct achi_sink *s)
{
    int64_t took[CALIBRATIONS], before = achi_sink_cpu();
    struct achi_go go = {0};
    int i;

    for (i = 0; i < CALIBRATIONS; i++) {
        int64_t now;

        achi_sink_newest(s, 0, &go);
        now = achi_sink_cpu();

        took[i] = now - before;
        before = now;
    }
    qsort(took, CALIBRATIONS, sizeof(took[0]), by_size);
    return took[CALIBRATIONS / 8];
}

/* Seconds, with a fraction. A double has too few digits for all of them. */
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
    snprintf(name, ACH_CHAN_NAME_MAX, "sim.%s.go.%d", achi_sim_process.name, (int)tid);
}

/* In the child there is one thread, and it is a new sink. */
static void after_fork(void)
{
    struct achi_sink *s = &achi_sink_self;
    uint32_t parent = (uint32_t)s->tid;

    ach_close(&s->go);
    memset(s, 0, sizeof(*s));
    s->parent = parent;
    sinks = NULL;
    unlock(&sinks_lock);
    achi_sim_process.pid = 0;
    achi_sink_tie(&achi_sim_process);
}

static void strike_off(struct achi_sink *s)
{
    struct achi_sink **p;

    lock(&sinks_lock);
    for (p = &sinks; *p && *p != s; p = &(*p)->next)
        ;
    if (*p)
        *p = s->next;
    unlock(&sinks_lock);
}

static void bye(achi_event_t event, bool all)
{
    struct achi_sink *s = &achi_sink_self;
    struct achi_note post = {.kind = ACHI_NOTE_POST, .n_events = 1, .events = {event}};
    struct achi_note bye = {.kind = ACHI_NOTE_BYE, .parent = all};
    char name[ACH_CHAN_NAME_MAX];

    achi_sim_critical();
    if (s->state == ACHI_SINK_ON)
        achi_sim_now();
    s->inside++; /* what is called below is none of the program's */
    if (s->state == ACHI_SINK_ON) {
        if (event != ACHI_EVENT_POLL)
            achi_sink_tell(s, &post);
        achi_sink_tell(s, &bye);
    }
    s->slot = NULL; /* it may be another one's from now on */
    if (s->state != ACHI_SINK_NEW && s->go.priv) {
        strike_off(s);
        ach_close(&s->go);
        go_name(name, s->tid);
        ach_unlink(name);
    }
    s->state = ACHI_SINK_GONE;
    s->inside--;
    achi_sink_unmask(s);
}

void achi_sim_refused(void)
{
    struct achi_sink *s = &achi_sink_self;
    struct achi_note note = {.kind = ACHI_NOTE_REFUSED};

    if (achi_sim_process.mode == ACHI_MODE_ON)
        achi_sink_tell(s, &note);
    achi_sim_exit();
}

/* Those that still run do not come to their own bye. */
__attribute__((destructor)) void achi_sim_exit(void)
{
    struct achi_sink *s;
    char name[ACH_CHAN_NAME_MAX];

    if (achi_sim_process.mode != ACHI_MODE_ON)
        return;
    bye(ACHI_EVENT_POLL, true);
    lock(&sinks_lock);
    for (s = sinks; s; s = s->next) {
        go_name(name, s->tid);
        ach_unlink(name);
    }
    sinks = NULL;
    unlock(&sinks_lock);
}

static int find_simulation(struct achi_sim_process *p)
{
    const char *name = secure_getenv("ACH_SIM"), *pid = secure_getenv("ACH_SIM_PID");
    char channel[ACH_CHAN_NAME_MAX];

    if (!name || !*name || strlen(name) >= sizeof(p->name))
        return ACHI_MODE_OFF;
    if (achi_sim_early)
        achi_sim_early();
    strcpy(p->name, name);
    p->coordinator = pid ? (int32_t)strtol(pid, NULL, 10) : 0;
    p->epoch = parse_epoch(secure_getenv("ACH_SIM_EPOCH"));
    pthread_atfork(NULL, NULL, after_fork);
    snprintf(channel, sizeof(channel), "sim.%s.note", name);
    if (ach_open(&p->note, channel, NULL) != ACH_OK)
        achi_sink_end(&achi_sink_self);
    p->board = achi_sink_board(name);
    achi_sink_tie(p);
    return ACHI_MODE_ON;
}

bool achi_sim_active(void)
{
    static char once;
    int mode = __atomic_load_n(&achi_sim_process.mode, __ATOMIC_ACQUIRE);

    if (__builtin_expect(mode != ACHI_MODE_UNKNOWN, 1))
        return mode == ACHI_MODE_ON;
    if (achi_sink_self.inside)
        return false;
    achi_sink_self.inside++;
    lock(&once);
    if (achi_sim_process.mode == ACHI_MODE_UNKNOWN) {
        int saved = errno;

        mode = find_simulation(&achi_sim_process);
        __atomic_store_n(&achi_sim_process.mode, mode, __ATOMIC_RELEASE);
        errno = saved;
    }
    unlock(&once);
    achi_sink_self.inside--;
    return achi_sim_process.mode == ACHI_MODE_ON;
}

bool achi_sim_free(void)
{
    return achi_sim_active() && !achi_sink_self.inside && achi_sink_self.state != ACHI_SINK_GONE;
}

int64_t achi_sim_epoch(void)
{
    return achi_sim_process.epoch;
}

int32_t achi_sim_pid(void)
{
    if (!achi_sim_process.pid)
        achi_sim_process.pid = getpid();
    return achi_sim_process.pid;
}

int32_t achi_sim_tid(void)
{
    if (!achi_sink_self.tid)
        achi_sink_self.tid = (int32_t)syscall(SYS_gettid);
    return achi_sink_self.tid;
}

/* A process that was here before under this id, or this one before it called exec, may have left
 * one. */
static ach_status_t make_go(struct achi_sink *s)
{
    ach_create_attr_t attr;
    char name[ACH_CHAN_NAME_MAX];
    ach_status_t r;

    go_name(name, achi_sim_tid());
    ach_create_attr_init(&attr);
    ach_create_attr_set_truncate(&attr, 1);
    r = ach_create(name, GO_FRAMES, sizeof(struct achi_go), &attr);
    return r == ACH_OK ? ach_open(&s->go, name, NULL) : r;
}

static uint32_t parent_of(const struct achi_sink *s, uint32_t parent)
{
    int32_t pid = getppid();

    if (parent || s->parent)
        return parent ? parent : s->parent;
    return achi_sim_tid() != achi_sim_pid() || pid == achi_sim_process.coordinator ? 0
                                                                                   : (uint32_t)pid;
}

static void enlist(struct achi_sink *s)
{
    lock(&sinks_lock);
    s->next = sinks;
    sinks = s;
    unlock(&sinks_lock);
}

ach_status_t achi_sim_hello(uint32_t parent, void (*told)(void *cx), void *cx)
{
    struct achi_sink *s = &achi_sink_self;
    struct achi_note note = {.kind = ACHI_NOTE_HELLO};
    ach_status_t r;

    if (!achi_sim_active() || s->state != ACHI_SINK_NEW || s->inside)
        return ACH_OK;
    s->inside++;
    achi_sim_critical();
    r = make_go(s);
    if (r == ACH_OK) {
        if (!achi_sim_process.cost)
            achi_sim_process.cost = calibrate(s);
        note.until = achi_sim_process.cost;
        note.parent = parent_of(s, parent);
        note.since = achi_sim_process.board != NULL;
        enlist(s);
        s->state = ACHI_SINK_ON;
        s->cpu = achi_sink_cpu();
        r = achi_sink_tell(s, &note);
    }
    if (told)
        told(cx);
    r = r == ACH_OK ? achi_sink_await(s, &note) : achi_sink_end(s);
    achi_sink_thaw(s);
    achi_sim_uncritical();
    s->inside--;
    achi_sink_unmask(s);
    return r;
}

void achi_sim_bye(achi_event_t event)
{
    bye(event, false);
}

struct achi_sink *achi_sink(void)
{
    struct achi_sink *s = &achi_sink_self;

    if (!achi_sim_active())
        return NULL;
    if (__builtin_expect(s->state == ACHI_SINK_NEW, 0))
        achi_sim_hello(0, NULL, NULL);
    return s->state == ACHI_SINK_ON ? s : NULL;
}
