/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.c - the list of sinks: the threads of controllers */
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

bool sim_sink_signaled(const struct sim_sim *s, sim_event_t event)
{
    const struct sim_sink *k = s->sinks;

    while (k && event != k->signal)
        k = k->next;
    return k;
}

bool sim_sink_names(const struct sim_sink *k, sim_event_t event)
{
    unsigned i;

    for (i = 0; i < k->n_events; i++)
        if (k->events[i] == event)
            return true;
    return false;
}

/* If it is missing, its thread has exited. */
static bool open_go(struct sim_sim *s, struct sim_sink *k)
{
    char name[ACH_CHAN_NAME_MAX];
    ach_status_t status;

    snprintf(name, sizeof(name), "sim.%s.go.%d", s->plan->name, (int)k->tid);
    status = ach_open(&k->go, name, NULL);
    if (status != ACH_OK && status != ACH_ENOENT)
        sim_fail(s, "a thread of controller %s cannot take part in the simulation: %s",
                 k->child->plan->name, ach_errstr());
    return status == ACH_OK;
}

/*
 * An open failed. Any process may put a note, and a thread may have exited since: that is ignored.
 * But a thread that waits for its go in vain would vanish from the simulation.
 */
static void fail_if_scarce(struct sim_sim *s, const struct sim_child *c, int error)
{
    if (error == EMFILE || error == ENFILE || error == ENOMEM)
        sim_fail(s, "a thread of controller %s cannot take part in the simulation: %s%s",
                 c->plan->name, strerror(error),
                 error == EMFILE ? "; raise the limit of open files (ulimit -n)" : "");
}

/* Insert behind the sinks of the same controller, before those of later controllers. */
static void insert(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_sink **p = &s->sinks;

    while (*p && (*p)->child->index <= k->child->index)
        p = &(*p)->next;
    k->next = *p;
    *p = k;
}

/* Processes that a controller starts inherit its process group. */
struct sim_child *sim_child_of(struct sim_sim *s, pid_t pid)
{
    pid_t group = getpgid(pid);
    size_t i;

    for (i = 0; i < s->plan->n_controllers; i++)
        if (s->children[i].group && s->children[i].group == group)
            return &s->children[i];
    return NULL;
}

static struct sim_child *controller_of(struct sim_sim *s, const struct sim_note *n)
{
    const struct sim_sink *parent = sim_sink_find(s, (pid_t)n->parent);
    struct sim_child *c = sim_child_of(s, n->pid);

    return c ? c : parent ? parent->child : NULL;
}

struct sim_sink *sim_sink_find(const struct sim_sim *s, pid_t tid)
{
    struct sim_sink *k = s->sinks;

    while (k && k->tid != tid)
        k = k->next;
    return k;
}

/*
 * Callers up the stack may still use it: sim_sinks_free frees it. Does not unlink its go channel:
 * after exec the same tid may have created it anew.
 */
static void forget(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_sink **p = &s->sinks;

    if (k->gone)
        return;
    while (*p != k)
        p = &(*p)->next;
    *p = k->next;
    if (k->time > s->last)
        s->last = k->time;
    if (k->phase == SIM_AWAY && s->now > k->time)
        k->account.left += s->now - k->time;
    sim_account_add(&k->child->account, &k->account);
    close(k->clock_fd);
    close(k->pidfd);
    ach_close(&k->go);
    k->gone = true;
    k->next_gone = s->gone;
    s->gone = k;
}

void sim_sinks_free(struct sim_sim *s)
{
    while (s->gone) {
        struct sim_sink *k = s->gone;

        s->gone = k->next_gone;
        free(k);
    }
}

void sim_sink_remove(struct sim_sim *s, struct sim_sink *k)
{
    char name[ACH_CHAN_NAME_MAX];

    snprintf(name, sizeof(name), "sim.%s.go.%d", s->plan->name, (int)k->tid);
    forget(s, k);
    ach_unlink(name);
}

/* Its current virtual time: it may have computed since its last note. */
static int64_t time_now(const struct sim_sink *k)
{
    int64_t cpu;

    if (k->phase != SIM_COMPUTES || k->child->plan->model != SIM_COST_MEASURED)
        return k->time;
    cpu = sim_sink_cpu(k);
    return cpu > k->cpu ? k->time + (cpu - k->cpu) : k->time;
}

/* Is the process stopped? A new thread may say HELLO during another thread's slice. */
static bool is_stopped(const struct sim_sim *s, pid_t pid)
{
    const struct sim_sink *k = s->sinks;

    while (k && !(k->pid == pid && k->stopped))
        k = k->next;
    return k;
}

static int row_of(struct sim_sim *s, struct sim_child *c)
{
    int row = (int)s->plan->n_controllers + 1 + s->rows;

    if (c->threads++ == 0)
        return (int)c->index + 1;
    s->rows++;
    sim_trace_row(s->trace, row, c->plan->name, c->threads);
    return row;
}

/* If there is a sink with this tid already, its process has called exec. */
struct sim_sink *sim_sink_add(struct sim_sim *s, const struct sim_note *n)
{
    const struct sim_sink *parent = sim_sink_find(s, (pid_t)n->parent);
    struct sim_sink *before = sim_sink_find(s, n->tid);
    struct sim_child *c = controller_of(s, n);
    struct sim_sink *k = c ? calloc(1, sizeof(*k)) : NULL;
    bool stopped;
    int row;

    if (!k)
        return NULL;
    k->pidfd = sim_process_open(n->pid);
    if (k->pidfd < 0) {
        fail_if_scarce(s, c, errno);
        free(k);
        return NULL;
    }
    k->child = c;
    k->pid = n->pid;
    k->tid = n->tid;
    k->signal = simc_event_signal(n->pid);
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
    k->clock_fd = sim_proc_open(k->pid, k->tid, "schedstat");
    if (k->clock_fd < 0)
        fail_if_scarce(s, c, errno);
    if (k->clock_fd < 0 || !open_go(s, k)) {
        if (k->clock_fd >= 0)
            close(k->clock_fd);
        close(k->pidfd);
        free(k);
        return NULL;
    }
    k->slot = sim_board_slot(s);
    k->cpu_look = k->cpu_critical = -1;
    if (!n->since || !k->slot)
        sim_fail(s,
                 n->since ? "controller %s has too many threads"
                          : "controller %s cannot map the board of the simulation",
                 c->plan->name);
    k->stopped = stopped;
    k->row = row ? row : row_of(s, c);
    c->hello = true;
    insert(s, k);
    return k;
}

int64_t sim_sink_time(const struct sim_sink *k)
{
    switch (k->phase) {
    case SIM_WAITS:
        return k->wake;
    case SIM_AWAY:
        return SIM_NEVER;
    default:
        return k->time;
    }
}
