/* SPDX-License-Identifier: BSD-3-Clause */
/* run.c - a simulation from its beginning to its end */
#include <sched.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "filelimit.h"
#include "sim.h"

#define FIFO_PRIORITY 20
#define HEAVY 500000              /* wall time from which a step of the world is long */
#define SWEEP_EVERY 1000000000LL  /* wall time between two checks for dead threads */
#define START_LIMIT 30000000000LL /* wall time until all controllers must have said HELLO */

static struct sim_sim *running; /* for signal handlers */

static void on_child(int sig)
{
    (void)sig;
    running->died = 1;
    sim_note_interrupt(running);
}

static void on_end(int sig)
{
    running->interrupted = sig;
    sim_note_interrupt(running);
}

static void handle(int sig, void (*handler)(int), struct sigaction *old)
{
    struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

    sigemptyset(&a.sa_mask);
    sigaction(sig, &a, old);
}

static bool set_fifo(bool fifo)
{
    const struct sched_param first = {.sched_priority = fifo ? FIFO_PRIORITY : 0};

    return sched_setscheduler(0, fifo ? SCHED_FIFO : SCHED_OTHER, &first) == 0;
}

/* Run before other processes, on the plan's cores, and without timer slack. */
static void become_real_time(struct sim_sim *s)
{
    cpu_set_t set;
    size_t i;

    CPU_ZERO(&set);
    for (i = 0; i < s->plan->n_cores; i++)
        CPU_SET((size_t)s->plan->cores[i], &set);
    sched_setaffinity(0, sizeof(set), &set);
    prctl(PR_SET_TIMERSLACK, 1UL);
    s->fifo = s->plan->realtime && set_fifo(true);
}

/* Bind an abstract socket: only one process can have the name, and it vanishes on exit. */
static int claim(int core)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size;

    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1);
    size +=
        (socklen_t)snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "ach-sim-core-%d", core);
    if (fd >= 0 && bind(fd, (const struct sockaddr *)&name, size) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/*
 * Unless the plan names cores, use one for the coordinator and all controllers: the last one that
 * no other simulation has claimed, since two SCHED_FIFO coordinators would delay each other.
 */
static void choose_cores(struct sim_sim *s)
{
    cpu_set_t set;
    int core, last = -1;

    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof(set), &set);
    for (core = CPU_SETSIZE - 1; core >= 0 && s->plan->n_cores == 0; core--) {
        if (!CPU_ISSET((size_t)core, &set))
            continue;
        last = last < 0 ? core : last;
        s->claim = claim(core);
        if (s->claim >= 0)
            s->plan->cores[s->plan->n_cores++] = core;
    }
    if (s->plan->n_cores == 0)
        s->plan->cores[s->plan->n_cores++] = last;
    s->parallel = s->plan->n_cores > 1;
}

static bool all_came(const struct sim_sim *s)
{
    size_t i;

    for (i = 0; i < s->plan->n_controllers; i++)
        if (!s->children[i].hello && !s->children[i].ended)
            return false;
    return true;
}

static void attend(struct sim_sim *s)
{
    if (s->died) {
        s->died = 0;
        sim_children_reap(s);
    }
    if (monotonic_ns() - s->wall_swept > SWEEP_EVERY) {
        s->wall_swept = monotonic_ns();
        sim_sinks_sweep(s);
    }
    if (s->interrupted && !s->over) {
        s->over = true;
        fprintf(stderr, "ach sim: interrupted\n");
    }
}

/* Virtual time begins when all controllers have said HELLO. */
static bool gather(struct sim_sim *s)
{
    int64_t until = monotonic_ns() + START_LIMIT;
    size_t i;

    while (!s->over && !all_came(s)) {
        sim_sinks_free(s);
        sim_notes_take(s, monotonic_ns() + 20000000);
        attend(s);
        if (monotonic_ns() < until)
            continue;
        for (i = 0; i < s->plan->n_controllers && !s->over; i++)
            if (!s->children[i].hello)
                sim_fail(s,
                         "controller %s has not joined the simulation within %d s: is %s "
                         "statically linked?",
                         s->plan->controllers[i].name, (int)(START_LIMIT / 1000000000),
                         s->plan->controllers[i].command[0]);
    }
    return !s->over;
}

static bool nobody_left(const struct sim_sim *s)
{
    return !s->sinks && s->plan->n_controllers > 0;
}

/*
 * The world processes what is due. Long steps run under SCHED_OTHER: the kernel throttles a
 * SCHED_FIFO process that uses the processor all the time, and would do so during a controller's
 * slice.
 */
static void step_world(struct sim_sim *s, int64_t time)
{
    int64_t wall = monotonic_ns(), before = s->stepped;
    bool lower = s->fifo && s->heavy;

    if (lower)
        set_fifo(false);
    sim_events_at(s, time);
    if (lower)
        set_fifo(true);
    s->heavy = monotonic_ns() - wall > HEAVY;
    s->stepped = s->now;
    sim_trace_add(s->trace, NULL, "world", wall - s->wall_start, monotonic_ns() - wall, before,
                  s->now - before);
}

/* No step is due any more: only a sink that is AWAY can go on. */
static void wait_for_outside(struct sim_sim *s)
{
    const struct sim_sink *k;

    sim_sinks_sweep(s);
    if (!s->sinks)
        return;
    k = s->sinks;
    while (k && k->phase != SIM_AWAY)
        k = k->next;
    if (k)
        sim_watchdog_wait(s);
    else
        sim_fail(s, "controller %s, like all others, waits for an event that can no longer happen",
                 s->sinks->child->plan->name);
}

/* The receiver of a signal may have been killed, which nobody has noticed yet. */
static void grant(struct sim_sim *s, struct sim_sink *k)
{
    uint64_t serial = k->serial;

    if (k->post && sim_sink_signaled(s, k->events[0]))
        sim_sinks_sweep(s);
    if (!k->gone && k->serial == serial) /* else the sweep has taken a newer note of it */
        sim_schedule_grant(s, k);
}

/* One step, of the sink or the world with the earliest time. */
static void step(struct sim_sim *s)
{
    struct sim_sink *last = sim_sink_last(s);
    int64_t next = sim_events_next(s);
    int64_t time = last ? sim_sink_time(last) : SIM_NEVER;

    if (s->step_end < s->plan->duration && time >= s->step_end && next >= s->step_end) {
        sim_events_at(s, s->step_end);
        s->paused = true;
    } else if (time == SIM_NEVER && next == SIM_NEVER && s->plan->duration == SIM_NEVER) {
        wait_for_outside(s);
    } else if ((next < time ? next : time) >= s->plan->duration) {
        sim_events_at(s, s->plan->duration);
        s->over = true;
    } else if (next <= time) {
        step_world(s, next);
    } else if (last->phase != SIM_COMPUTES) {
        s->now = time;
        grant(s, last);
    } else {
        s->now = time;
        sim_schedule_dispatch(s);
        sim_watchdog_wait(s);
    }
}

/*
 * All sinks have ended, some perhaps ahead of the world. The run ends when the world has reached
 * the latest of their times.
 */
static void end_at_last(struct sim_sim *s)
{
    int64_t end = s->last > s->now ? s->last : s->now;

    if (end < s->plan->duration)
        s->plan->duration = end;
}

/* True: no thread is left, and no process that may be about to start another one. */
static bool all_ended(struct sim_sim *s)
{
    if (!nobody_left(s))
        return false;
    sim_watchdog_wait(s);
    sim_children_reap(s);
    return !s->over && nobody_left(s) && !sim_children_left(s);
}

static void loop(struct sim_sim *s)
{
    bool ended = false;

    s->wall_start = s->wall_paced = monotonic_ns();
    while (!s->over && sim_control(s)) {
        sim_sinks_free(s);
        attend(s);
        sim_events_serve(s);
        if (!ended && all_ended(s)) {
            ended = true;
            end_at_last(s);
        }
        if (!s->over && (ended || !nobody_left(s)) && sim_control_pace(s))
            step(s);
    }
}

static bool open_files(struct sim_sim *s)
{
    if (s->plan->trace && sim_trace_open(s->plan->trace, s, &s->trace) != ACH_OK)
        return sim_fail(s, "%s", ach_errstr());
    if (s->plan->ledger && sim_ledger_open(s->plan->ledger, &s->ledger) != ACH_OK)
        return sim_fail(s, "%s", ach_errstr());
    return true;
}

/* A write error fails a run that was successful so far. */
static void close_files(struct sim_sim *s)
{
    s->over = false;
    if (!sim_trace_close(s->trace))
        sim_fail(s, "cannot write %s", s->plan->trace);
    if (!sim_ledger_close(s->ledger))
        sim_fail(s, "cannot write %s", s->plan->ledger);
}

bool sim_run(struct sim_sim *s)
{
    struct sigaction old[4];

    s->claim = -1;
    s->step_end = SIM_NEVER;
    getrlimit(RLIMIT_NOFILE, &s->files); /* controllers keep the limit as it is now */
    filelimit_raise(0);                  /* each thread of a controller takes descriptors */
    s->speed = s->plan->speed;
    s->paused = s->plan->paused;
    choose_cores(s);
    if (sim_notes_open(s) != ACH_OK) {
        sim_fail(s, "%s", ach_errstr());
        sim_notes_close(s);
        return false;
    }
    if (sim_board_open(s) != ACH_OK || sim_watch_open(s) != ACH_OK) {
        sim_fail(s, "%s", ach_errstr());
        sim_board_close(s);
        sim_notes_close(s);
        return false;
    }
    running = s;
    handle(SIGCHLD, on_child, &old[0]);
    handle(SIGINT, on_end, &old[1]);
    handle(SIGTERM, on_end, &old[2]);
    handle(SIGHUP, on_end, &old[3]);
    if (open_files(s) && sim_children_start(s)) {
        become_real_time(s);
        if (gather(s))
            loop(s);
        sim_status_show(s, true);
    }
    sim_children_end(s);
    sigaction(SIGCHLD, &old[0], NULL);
    sigaction(SIGINT, &old[1], NULL);
    sigaction(SIGTERM, &old[2], NULL);
    sigaction(SIGHUP, &old[3], NULL);
    close_files(s);
    sim_watch_close(s);
    sim_board_close(s);
    sim_notes_close(s);
    if (s->claim >= 0)
        close(s->claim);
    return !s->failed;
}

void sim_finish(struct sim_sim *s)
{
    free(s->children);
    s->children = NULL;
}
