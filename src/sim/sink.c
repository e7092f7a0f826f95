/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.c - the threads of controllers, and who of them is furthest behind */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/event.h"
#include "sim.h"

/* Of a thread, in /proc; -1: it has none any more. */
static int open_proc(pid_t pid, pid_t tid, const char *what)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, what);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The kernel brings these numbers up to date when the thread leaves the processor. */
void achi_sink_clocks(const struct achi_sink *k, struct achi_clocks *c)
{
    char text[64], *end;
    ssize_t n = pread(k->clock_fd, text, sizeof(text) - 1, 0);

    c->cpu = k->cpu;
    c->delay = k->delay;
    if (n <= 0)
        return;
    text[n] = 0;
    c->cpu = strtoll(text, &end, 10);
    c->delay = strtoll(end, NULL, 10);
}

int64_t achi_sink_cpu(const struct achi_sink *k)
{
    struct achi_clocks c;

    achi_sink_clocks(k, &c);
    return c.cpu;
}

static void read_proc(pid_t pid, pid_t tid, const char *what, char *text, size_t size)
{
    int fd = open_proc(pid, tid, what);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
}

void achi_proc_stat(pid_t pid, pid_t tid, char text[ACHI_STAT_SIZE])
{
    char *end;

    read_proc(pid, tid, "stat", text, ACHI_STAT_SIZE);
    end = strrchr(text, ')'); /* the name in front may have anything in it */
    memmove(text, end ? end + 1 : "", end ? strlen(end) : 1);
}

static char state_of(pid_t pid, pid_t tid)
{
    char text[ACHI_STAT_SIZE];

    achi_proc_stat(pid, tid, text);
    return text[0] && text[1] ? text[1] : 'X';
}

char achi_sink_state(const struct achi_sink *k)
{
    return state_of(k->pid, k->tid);
}

/* Where in the kernel a thread sleeps, and the file that its system call works on, if it has one. */
const char *achi_sink_place(const struct achi_sink *k, char text[ACHI_PLACE_SIZE])
{
    char where[64], call[64], path[64], file[128];
    unsigned long argument;
    ssize_t n = 0;
    long number;

    read_proc(k->pid, k->tid, "wchan", where, sizeof(where));
    read_proc(k->pid, k->tid, "syscall", call, sizeof(call));
    if (sscanf(call, "%ld 0x%lx", &number, &argument) == 2 && argument < INT_MAX) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)k->pid, argument);
        n = readlink(path, file, sizeof(file) - 1);
    }
    file[n > 0 ? n : 0] = 0;
    snprintf(text, ACHI_PLACE_SIZE, "thread %d%s%s%s%s", (int)k->tid,
             where[0] && where[0] != '0' ? " in " : "", where[0] != '0' ? where : "",
             file[0] ? ", perhaps for " : "", file);
    return text;
}

/* Also threads that the simulation does not know of. */
bool achi_sinks_rest(pid_t pid)
{
    const struct dirent *e;
    bool rest = true;
    char path[32];
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && rest && (e = readdir(dir)))
        if (isdigit((unsigned char)e->d_name[0]))
            rest = !strchr("RD", state_of(pid, (pid_t)strtol(e->d_name, NULL, 10)));
    if (dir)
        closedir(dir);
    return rest;
}

/* If there are no descriptors left nothing can be read, and that says nothing. */
bool achi_sink_dead(const struct achi_sink *k)
{
    char state = achi_sink_state(k);

    return state == 'Z' ||
           (state == 'X' && syscall(SYS_tgkill, k->pid, k->tid, 0) != 0 && errno == ESRCH);
}

bool achi_sink_signaled(const struct achi_sim *s, achi_event_t event)
{
    const struct achi_sink *k = s->sinks;

    while (k && event != k->signal)
        k = k->next;
    return k;
}

bool achi_sink_names(const struct achi_sink *k, achi_event_t event)
{
    unsigned i;

    for (i = 0; i < k->n_events; i++)
        if (k->events[i] == event)
            return true;
    return false;
}

/* It waits, without a limit, for what only a thread of its own process can do. */
static bool waits_for_itself(const struct achi_sink *k)
{
    unsigned i;

    for (i = 0; i < k->n_events; i++)
        if (!achi_event_own(k->events[i]))
            return false;
    return k->phase == ACHI_WAITS && k->wake == ACHI_SIM_NEVER && k->n_events > 0;
}

/* All its threads do, for longer than somebody may hang. */
static bool is_stuck(const struct achi_sim *s, const struct achi_sink *k)
{
    int64_t since = achi_wall() - (int64_t)(s->plan->hang * 1e9);
    const struct achi_sink *other;

    if (s->plan->hang == 0)
        return false;
    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid && (!waits_for_itself(other) || other->wall_wait > since))
            return false;
    return true;
}

/* Those that were killed, or left behind by exec or by the end of a process that is not our child; and who hangs. */
void achi_sinks_sweep(struct achi_sim *s)
{
    struct achi_sink *k = s->sinks, *next;

    for (; k; k = next) {
        next = k->next;
        if (!k->leaves && achi_sink_dead(k))
            achi_turn_died(s, k);
        else if (is_stuck(s, k))
            achi_sim_fail(s, "controller %s hangs: all its threads wait for each other",
                          k->child->plan->name);
    }
}

static bool open_go(const struct achi_sim *s, struct achi_sink *k)
{
    char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "sim.%s.go.%d", s->plan->name, (int)k->tid);
    return ach_open(&k->go, name, NULL) == ACH_OK;
}

/* Behind those of the same controller, before those of later ones. */
static void insert(struct achi_sim *s, struct achi_sink *k)
{
    struct achi_sink **p = &s->sinks;

    while (*p && (*p)->child->index <= k->child->index)
        p = &(*p)->next;
    k->next = *p;
    *p = k;
}

static struct achi_child *controller_of(struct achi_sim *s, const struct achi_note *n)
{
    const struct achi_sink *parent = achi_sink_find(s, (pid_t)n->parent);
    struct achi_child *c = achi_child_of(s, n->pid);

    return c ? c : parent ? parent->child : NULL;
}

struct achi_sink *achi_sink_find(const struct achi_sim *s, pid_t tid)
{
    struct achi_sink *k = s->sinks;

    while (k && k->tid != tid)
        k = k->next;
    return k;
}

bool achi_sink_exists(const struct achi_sim *s, const struct achi_sink *k)
{
    const struct achi_sink *one = s->sinks;

    while (one && one != k)
        one = one->next;
    return one;
}

/* Without its channel, which may be that of the same thread's next program already. */
static void forget(struct achi_sim *s, struct achi_sink *k)
{
    struct achi_sink **p = &s->sinks;

    while (*p && *p != k)
        p = &(*p)->next;
    if (*p)
        *p = k->next;
    if (k->time > s->last)
        s->last = k->time;
    if (k->phase == ACHI_AWAY && s->now > k->time)
        k->account.left += s->now - k->time;
    achi_account_add(&k->child->account, &k->account);
    close(k->clock_fd);
    close(k->pidfd);
    ach_close(&k->go);
    free(k);
}

void achi_sink_remove(struct achi_sim *s, struct achi_sink *k)
{
    char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "sim.%s.go.%d", s->plan->name, (int)k->tid);
    forget(s, k);
    ach_unlink(name);
}

/* Who starts another one has computed since it was last heard of. */
static int64_t time_now(const struct achi_sink *k)
{
    int64_t cpu;

    if (k->phase != ACHI_COMPUTES || k->child->plan->model != ACHI_COST_MEASURED)
        return k->time;
    cpu = achi_sink_cpu(k);
    return cpu > k->cpu ? k->time + (cpu - k->cpu) : k->time;
}

/* It may have come in the midst of another thread's slice. */
static bool is_stopped(const struct achi_sim *s, pid_t pid)
{
    const struct achi_sink *k = s->sinks;

    while (k && !(k->pid == pid && k->stopped))
        k = k->next;
    return k;
}

static int row_of(struct achi_sim *s, struct achi_child *c)
{
    int row = (int)s->plan->n_controllers + 1 + s->rows;

    if (c->threads++ == 0)
        return (int)c->index + 1;
    s->rows++;
    achi_trace_row(s->trace, row, c->plan->name, c->threads);
    return row;
}

/* A thread that is there already has another program in it. */
struct achi_sink *achi_sink_add(struct achi_sim *s, const struct achi_note *n)
{
    const struct achi_sink *parent = achi_sink_find(s, (pid_t)n->parent);
    struct achi_sink *before = achi_sink_find(s, n->tid);
    struct achi_child *c = controller_of(s, n);
    struct achi_sink *k = c ? calloc(1, sizeof(*k)) : NULL;
    bool stopped;
    int row;

    if (!k)
        return NULL;
    k->pidfd = achi_process_open(n->pid);
    if (k->pidfd < 0) { /* anybody may put a note */
        free(k);
        return NULL;
    }
    k->child = c;
    k->pid = n->pid;
    k->tid = n->tid;
    k->signal = achi_event_signal(n->pid);
    k->cpu = n->cpu;
    k->call_cost = n->until > 0 && n->until < 1000000 ? n->until : 0;
    k->time = before ? before->time : parent ? time_now(parent) : s->now;
    if (k->time < s->now)
        k->time = s->now;
    row = before ? before->row : 0;
    stopped = is_stopped(s, n->pid);
    if (before)
        forget(s, before);
    k->permit = k->cycle = k->time;
    k->clock_fd = open_proc(k->pid, k->tid, "schedstat");
    if (k->clock_fd < 0 || !open_go(s, k)) {
        if (k->clock_fd >= 0)
            close(k->clock_fd);
        close(k->pidfd);
        free(k);
        return NULL;
    }
    k->slot = achi_board_slot(s);
    k->cpu_look = k->cpu_critical = -1;
    if (!n->since || !k->slot)
        achi_sim_fail(s,
                      n->since ? "controller %s has too many threads"
                               : "controller %s cannot map the board of the simulation",
                      c->plan->name);
    k->stopped = stopped;
    k->row = row ? row : row_of(s, c);
    c->hello = true;
    insert(s, k);
    return k;
}

int64_t achi_sink_time(const struct achi_sink *k)
{
    switch (k->phase) {
    case ACHI_WAITS:
        return k->wake;
    case ACHI_AWAY:
        return ACHI_SIM_NEVER;
    default:
        return k->time;
    }
}

/*
 * A sink that is blocked outside may be waiting for another one that is at the same time. With
 * declared costs only for one of the same controller: whether it is found asleep depends on the
 * machine, and no other controller may notice.
 */
static bool may_pass(const struct achi_sink *a, const struct achi_sink *b)
{
    return b->outside && !a->outside && (achi_turn_measured(b) || a->child == b->child);
}

/*
 * With declared costs, threads of a process that are at the same time run one after the other:
 * they share memory. Who computes comes to its next call first.
 */
static bool is_first(const struct achi_sink *a, const struct achi_sink *b)
{
    return a->pid == b->pid && !achi_turn_measured(a) && a->phase == ACHI_COMPUTES && !a->outside &&
           b->phase != ACHI_COMPUTES;
}

static bool is_behind(const struct achi_sink *a, const struct achi_sink *b)
{
    int64_t time = achi_sink_time(a), other = achi_sink_time(b);

    return time < other || (time == other && (may_pass(a, b) || is_first(a, b)));
}

/* One that has been woken by what another one did comes to its turn before that one goes on. */
static void recheck_outside(const struct achi_sim *s)
{
    struct achi_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->outside && k->phase == ACHI_COMPUTES && !achi_look_asleep(k))
            k->outside = false;
}

/* The list is in the order of ties. */
struct achi_sink *achi_sink_last(const struct achi_sim *s)
{
    struct achi_sink *k, *last = s->sinks;

    recheck_outside(s);
    for (k = s->sinks; k; k = k->next)
        if (is_behind(k, last))
            last = k;
    return last;
}

/* At the same time the world comes first, then who is before it in the list. */
int64_t achi_sink_horizon(const struct achi_sim *s, const struct achi_sink *k)
{
    int64_t next = achi_happen_next((struct achi_sim *)(uintptr_t)s), horizon;
    const struct achi_sink *other;
    bool first = true;

    if (k->phase == ACHI_AWAY) /* the others may be anywhere when it comes back */
        return -1;
    horizon = next == ACHI_SIM_NEVER ? next : next - 1;
    for (other = s->sinks; other; other = other->next) {
        int64_t time = achi_sink_time(other);

        if (other == k)
            first = false;
        else if (other->phase == ACHI_AWAY && k->time < horizon)
            horizon = k->time; /* it may come back at any time */
        else if (time != ACHI_SIM_NEVER && time - first < horizon)
            horizon = time - first;
    }
    return horizon;
}
