/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * referee - the smallest coordinator that keeps the rules of src/sim/protocol.h
 *
 *     referee [-m measured|declared|free] [-c COST_NS] [-s SPEED] [-w STEP_NS] [-e END_NS]
 *             [-E EPOCH] -- COMMAND ... [-- COMMAND ...]
 *
 * It has no world: a step, every STEP_NS, only ends waits for SIM_EVENT_POLL. One sink runs at a
 * time: the one that is due first; of several, the one that said HELLO first. Its exit status is
 * the first nonzero exit status of a command.
 */
#include <ach.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../../src/sim/client/event.h"

#define COMMANDS_MAX 8
#define SINKS_MAX 64
#define POSTS_KEPT 1024
#define NS_PER_S 1000000000ll

struct sink {
    int32_t tid, pid;
    ach_channel_t go;
    bool runs;
    struct sim_note note; /* if it does not run: its pending request */
    int64_t due;          /* earliest time to grant the request */
    bool timed;
};

static struct {
    char name[SIM_NAME_MAX];
    const char *epoch;
    ach_channel_t note;
    uint32_t model;
    int64_t cost, step, end, now;
    double speed;
    struct timespec started;
    struct sink sinks[SINKS_MAX];
    unsigned n, seen;
    uint64_t posts;
    struct {
        sim_event_t event;
        int64_t time;
    } post[POSTS_KEPT];
    pid_t child[COMMANDS_MAX];
    unsigned children, left;
    int status;
} r = {.model = SIM_COST_MEASURED, .step = 1000000, .end = SIM_NEVER, .epoch = "0"};

static void die(const char *what)
{
    fprintf(stderr, "referee: %s: %s (%s)\n", what, strerror(errno), ach_errstr());
    exit(99);
}

static void channel_name(char *out, const char *kind, int32_t tid)
{
    if (tid)
        snprintf(out, ACH_CHAN_NAME_MAX, "sim.%s.%s.%d", r.name, kind, (int)tid);
    else
        snprintf(out, ACH_CHAN_NAME_MAX, "sim.%s.%s", r.name, kind);
}

static struct sink *find(int32_t tid)
{
    unsigned i;

    for (i = 0; i < r.n; i++)
        if (r.sinks[i].tid == tid)
            return &r.sinks[i];
    return NULL;
}

static void drop(struct sink *s)
{
    char name[ACH_CHAN_NAME_MAX];

    channel_name(name, "go", s->tid);
    ach_close(&s->go);
    ach_unlink(name);
    memmove(s, s + 1, (size_t)(&r.sinks[r.n] - (s + 1)) * sizeof(*s));
    r.n--;
}

/* A thread begins at its creator's time. After exec, it says HELLO again and keeps its time. */
static void hello(const struct sim_note *note)
{
    const struct sink *parent = note->parent ? find((int32_t)note->parent) : NULL;
    int64_t begin = parent ? parent->note.time : r.now;
    struct sink *s = find(note->tid);
    char name[ACH_CHAN_NAME_MAX];

    if (s) {
        begin = s->note.time;
        ach_close(&s->go);
    } else if (r.n == SINKS_MAX) {
        die("too many sinks");
    } else {
        s = &r.sinks[r.n++];
    }
    r.seen++;
    channel_name(name, "go", note->tid);
    *s = (struct sink){.tid = note->tid, .pid = note->pid, .note = *note};
    s->due = s->note.time = begin;
    if (ach_open(&s->go, name, NULL) != ACH_OK)
        die("open a sink's channel");
}

static bool waits_for(const struct sink *s, sim_event_t event)
{
    unsigned i;

    for (i = 0; !s->runs && s->note.kind == SIM_NOTE_WAIT && i < s->note.n_events; i++)
        if (s->note.events[i] == event)
            return true;
    return false;
}

static void wake(struct sink *s, int64_t time)
{
    if (time < s->note.time)
        time = s->note.time;
    if (time > s->due)
        return;
    s->timed = time == s->due && s->timed && time == s->note.until;
    s->due = time;
}

static void wake_all(sim_event_t event, int64_t time)
{
    unsigned i;

    for (i = 0; i < r.n; i++)
        if (waits_for(&r.sinks[i], event))
            wake(&r.sinks[i], time);
}

static void post(sim_event_t event, int64_t time)
{
    r.post[++r.posts % POSTS_KEPT].event = event;
    r.post[r.posts % POSTS_KEPT].time = time;
    wake_all(event, time);
}

static void begin_wait(struct sink *s)
{
    uint64_t i = s->note.since;

    s->due = s->note.until > s->note.time ? s->note.until : s->note.time;
    s->timed = true;
    if (i + POSTS_KEPT < r.posts)
        i = r.posts - POSTS_KEPT;
    while (i++ < r.posts)
        if (waits_for(s, r.post[i % POSTS_KEPT].event))
            wake(s, r.post[i % POSTS_KEPT].time);
}

static void hear(const struct sim_note *note)
{
    struct sink *s;

    if (note->version != SIM_VERSION)
        die("a note of another version");
    if (note->kind == SIM_NOTE_HELLO) {
        hello(note);
        return;
    }
    s = find(note->tid);
    if (!s)
        die("a note of a stranger");
    if (note->time < s->note.time)
        die("time went back");
    s->note = *note;
    s->runs = false;
    s->due = note->time;
    switch (note->kind) {
    case SIM_NOTE_BYE:
        drop(s);
        break;
    case SIM_NOTE_POST:
        post(note->events[0], note->time);
        break;
    case SIM_NOTE_WAIT:
        begin_wait(s);
        break;
    default:
        break;
    }
}

/* The thread has ended, or is a zombie that its parent has not reaped yet. */
static bool is_dead(const struct sink *s)
{
    char path[64], text[512];
    const char *end;
    FILE *f;
    bool dead = true;

    snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)s->pid, (int)s->tid);
    f = fopen(path, "r");
    if (!f)
        return true;
    if (fgets(text, sizeof(text), f) && (end = strrchr(text, ')')))
        dead = end[2] == 'Z' || end[2] == 'X';
    fclose(f);
    return dead;
}

static void reap(void)
{
    unsigned i;
    int status;

    for (i = 0; i < r.children; i++) {
        if (r.child[i] && waitpid(r.child[i], &status, WNOHANG) == r.child[i]) {
            r.child[i] = 0;
            r.left--;
            if (status && !r.status)
                r.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        }
    }
    for (i = 0; i < r.n; i++)
        if (is_dead(&r.sinks[i]))
            drop(&r.sinks[i--]);
}

/* Receive a note. False: there is none; with wait: none came within 50 ms. */
static bool listen(bool wait)
{
    const struct timespec slice = {.tv_nsec = 50000000};
    struct sim_note note;
    size_t size;
    ach_status_t got = ach_get(&r.note, &note, sizeof(note), &size, &slice,
                               (wait ? ACH_O_WAIT : 0) | ACH_O_RELTIME);

    if (got == ACH_OK)
        hear(&note);
    else if (got == ACH_TIMEOUT)
        reap();
    else if (got != ACH_EAGAIN)
        die("a note was missed");
    return got == ACH_OK;
}

static void send(struct sink *s, int64_t horizon, bool end)
{
    struct sim_go go = {.version = SIM_VERSION,
                        .end = end,
                        .serial = s->note.serial,
                        .time = s->due,
                        .cpu = -1,
                        .horizon = horizon,
                        .posts = r.posts,
                        .model = r.model,
                        .timed = s->timed,
                        .cost = r.cost};

    s->runs = true;
    s->note.time = s->due;
    if (ach_put(&s->go, &go, sizeof(go)) != ACH_OK)
        die("send a go");
}

/* Sleep until the wall clock has caught up with this virtual time. */
static void keep_pace(int64_t time)
{
    int64_t ns;
    struct timespec t;

    if (r.speed <= 0)
        return;
    ns = (int64_t)((double)time / r.speed) + r.started.tv_nsec;
    t.tv_sec = r.started.tv_sec + ns / NS_PER_S;
    t.tv_nsec = (long)(ns % NS_PER_S);
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static bool somebody_runs(void)
{
    unsigned i;

    for (i = 0; i < r.n; i++)
        if (r.sinks[i].runs)
            return true;
    return r.seen < r.children && r.left == r.children;
}

static void end_all(void)
{
    unsigned i;

    for (i = 0; i < r.n; i++)
        send(&r.sinks[i], 0, true);
}

/*
 * Let the sink run that is due first, up to the time when the next sink or step is due. A step of
 * the world that is due comes before all sinks.
 */
static void grant(void)
{
    int64_t step = (r.now / r.step + 1) * r.step, horizon = step;
    struct sink *s = NULL;
    unsigned i;

    for (i = 0; i < r.n; i++)
        if (!s || r.sinks[i].due < s->due)
            s = &r.sinks[i];
    if ((s->due < step ? s->due : step) >= r.end) {
        end_all();
        return;
    }
    if (s->due >= step) {
        keep_pace(step);
        r.now = step;
        wake_all(SIM_EVENT_POLL, step);
        return;
    }
    for (i = 0; i < r.n; i++)
        if (&r.sinks[i] != s && r.sinks[i].due < horizon)
            horizon = r.sinks[i].due;
    keep_pace(s->due);
    if (s->due > r.now)
        r.now = s->due;
    send(s, horizon, false);
}

static void start(char **command)
{
    pid_t pid = fork();

    if (pid < 0)
        die("fork");
    if (pid == 0) {
        setenv("LD_PRELOAD", getenv("PRELOAD"), 1);
        execvp(command[0], command);
        _exit(127);
    }
    r.child[r.children++] = pid;
    r.left++;
}

static void start_all(char **argv)
{
    char pid[16], **first = argv;
    bool more;

    snprintf(pid, sizeof(pid), "%d", (int)getpid());
    setenv("ACH_SIM", r.name, 1);
    setenv("ACH_SIM_PID", pid, 1);
    setenv("ACH_SIM_EPOCH", r.epoch, 1);
    for (;; argv++) {
        if (*argv && strcmp(*argv, "--") != 0)
            continue;
        more = *argv != NULL;
        *argv = NULL;
        if (*first && r.children < COMMANDS_MAX)
            start(first);
        if (!more)
            return;
        first = argv + 1;
    }
}

static void options(int argc, char **argv)
{
    int c;

    while ((c = getopt(argc, argv, "+m:c:s:w:e:E:")) != -1) {
        if (c == 'm')
            r.model = *optarg == 'm'   ? SIM_COST_MEASURED
                      : *optarg == 'd' ? SIM_COST_DECLARED
                                       : SIM_COST_FREE;
        else if (c == 'c')
            r.cost = atoll(optarg);
        else if (c == 's')
            r.speed = atof(optarg);
        else if (c == 'w')
            r.step = atoll(optarg);
        else if (c == 'e')
            r.end = atoll(optarg);
        else if (c == 'E')
            r.epoch = optarg;
        else
            exit(99);
    }
}

int main(int argc, char **argv)
{
    ach_create_attr_t attr;
    char name[ACH_CHAN_NAME_MAX];

    options(argc, argv);
    if (!getenv("PRELOAD"))
        die("PRELOAD says where the library is");
    snprintf(r.name, sizeof(r.name), "referee%d", (int)getpid());
    channel_name(name, "note", 0);
    ach_create_attr_init(&attr);
    if (ach_create(name, 256, sizeof(struct sim_note), &attr) != ACH_OK ||
        ach_open(&r.note, name, NULL) != ACH_OK)
        die("make the channel for notes");
    clock_gettime(CLOCK_MONOTONIC, &r.started);
    start_all(argv + optind);
    while (r.left || r.n) {
        bool wait = !r.n || somebody_runs();

        if (!listen(wait) && !wait) /* a newer note replaces an unanswered one */
            grant();
    }
    ach_close(&r.note);
    ach_unlink(name);
    return r.status;
}
