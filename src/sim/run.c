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

#include "sim.h"

#define FIFO_PRIORITY 20
#define HEAVY 500000              /* wall time of a step of the world */
#define SWEEP_EVERY 1000000000LL  /* wall time between two looks for dead threads */
#define START_LIMIT 30000000000LL /* wall time for all programs to come */

static struct achi_sim *running; /* for signal handlers */

int64_t achi_wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

bool achi_sim_fail(struct achi_sim *s, const char *format, ...)
{
    va_list args;

    if (!s->failed && !s->over) {
        va_start(args, format);
        vsnprintf(s->why, sizeof(s->why), format, args);
        va_end(args);
        s->failed = true;
    }
    s->over = true;
    return false;
}

static void on_child(int sig)
{
    (void)sig;
    running->died = 1;
    achi_note_interrupt(running);
}

static void on_end(int sig)
{
    running->interrupted = sig;
    achi_note_interrupt(running);
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

/* So that we run whenever we want to, and nobody's timer is rounded. */
static void become_real_time(struct achi_sim *s)
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

/* A name that only one process can have, and that ends with it. */
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
 * One core for everybody, unless the plan has several: the last one that no other simulation
 * has chosen, since two that come before everybody else are in each other's way.
 */
static void choose_cores(struct achi_sim *s)
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

static bool all_came(const struct achi_sim *s)
{
    size_t i;

    for (i = 0; i < s->plan->n_controllers; i++)
        if (!s->children[i].hello && !s->children[i].ended)
            return false;
    return true;
}

static void attend(struct achi_sim *s)
{
    if (s->died) {
        s->died = 0;
        achi_children_reap(s);
    }
    if (achi_wall() - s->wall_swept > SWEEP_EVERY) {
        s->wall_swept = achi_wall();
        achi_sinks_sweep(s);
    }
    if (s->interrupted && !s->over) {
        s->over = true;
        fprintf(stderr, "ach sim: interrupted\n");
    }
}

/* Time begins when all are there. */
static bool gather(struct achi_sim *s)
{
    int64_t until = achi_wall() + START_LIMIT;
    size_t i;

    while (!s->over && !all_came(s)) {
        achi_notes_take(s, achi_wall() + 20000000);
        attend(s);
        if (achi_wall() < until)
            continue;
        for (i = 0; i < s->plan->n_controllers && !s->over; i++)
            if (!s->children[i].hello)
                achi_sim_fail(s,
                              "controller %s does not take part in the simulation after %d s: is "
                              "%s statically linked?",
                              s->plan->controllers[i].name, (int)(START_LIMIT / 1000000000),
                              s->plan->controllers[i].command[0]);
    }
    return !s->over;
}

static bool nobody_left(const struct achi_sim *s)
{
    return !s->sinks && s->plan->n_controllers > 0;
}

/*
 * The world does what is due. If that takes long it is done as everybody's work is: the
 * system takes the processor away from who has it all the time before everybody
 * else, and then in the midst of a controller's slice.
 */
static void step_world(struct achi_sim *s, int64_t time)
{
    int64_t wall = achi_wall(), before = s->stepped;
    bool lower = s->fifo && s->heavy;

    if (lower)
        set_fifo(false);
    achi_happen_at(s, time);
    if (lower)
        set_fifo(true);
    s->heavy = achi_wall() - wall > HEAVY;
    s->stepped = s->now;
    achi_trace_add(s->trace, NULL, "world", wall - s->wall_start, achi_wall() - wall, before,
                   s->now - before);
}

/* Nothing will happen by itself any more. */
static void wait_for_outside(struct achi_sim *s)
{
    const struct achi_sink *k;

    achi_sinks_sweep(s);
    if (!s->sinks)
        return;
    k = s->sinks;
    while (k && k->phase != ACHI_AWAY)
        k = k->next;
    if (k)
        achi_look_wait(s);
    else
        achi_sim_fail(
            s, "controller %s, as all others, waits for something that does not happen any more",
            s->sinks->child->plan->name);
}

/* One step: whoever is furthest behind. */
static void step(struct achi_sim *s)
{
    struct achi_sink *last = achi_sink_last(s);
    int64_t next = achi_happen_next(s);
    int64_t time = last ? achi_sink_time(last) : ACHI_SIM_NEVER;

    if (s->step_end < s->plan->duration && time >= s->step_end && next >= s->step_end) {
        achi_happen_at(s, s->step_end);
        s->paused = true;
    } else if (time == ACHI_SIM_NEVER && next == ACHI_SIM_NEVER &&
               s->plan->duration == ACHI_SIM_NEVER) {
        wait_for_outside(s);
    } else if ((next < time ? next : time) >= s->plan->duration) {
        achi_happen_at(s, s->plan->duration);
        s->over = true;
    } else if (next <= time) {
        step_world(s, next);
    } else if (last->phase != ACHI_COMPUTES) {
        s->now = time;
        achi_turn_grant(s, last);
    } else {
        s->now = time;
        achi_turn_dispatch(s);
        achi_look_wait(s);
    }
}

/*
 * All have ended, some of them ahead of the world, on a core of their own: the run ends when the
 * world is there as well.
 */
static void end_at_last(struct achi_sim *s)
{
    int64_t end = s->last > s->now ? s->last : s->now;

    if (end < s->plan->duration)
        s->plan->duration = end;
}

/* True: no thread is left, and no process that may be about to start another one. */
static bool all_ended(struct achi_sim *s)
{
    if (!nobody_left(s))
        return false;
    achi_look_wait(s);
    achi_children_reap(s);
    return !s->over && nobody_left(s) && !achi_children_left(s);
}

static void loop(struct achi_sim *s)
{
    bool ended = false;

    s->wall_start = s->wall_paced = achi_wall();
    while (!s->over && achi_control(s)) {
        attend(s);
        achi_happen_serve(s);
        if (!ended && all_ended(s)) {
            ended = true;
            end_at_last(s);
        }
        if (!s->over && (ended || !nobody_left(s)) && achi_control_pace(s))
            step(s);
    }
}

static bool open_files(struct achi_sim *s)
{
    if (s->plan->trace && achi_trace_open(s->plan->trace, s, &s->trace) != ACH_OK)
        return achi_sim_fail(s, "%s", ach_errstr());
    if (s->plan->ledger && achi_ledger_open(s->plan->ledger, &s->ledger) != ACH_OK)
        return achi_sim_fail(s, "%s", ach_errstr());
    return true;
}

/* What cannot be written fails a run that was fine. */
static void close_files(struct achi_sim *s)
{
    s->over = false;
    if (!achi_trace_close(s->trace))
        achi_sim_fail(s, "cannot write %s", s->plan->trace);
    if (!achi_ledger_close(s->ledger))
        achi_sim_fail(s, "cannot write %s", s->plan->ledger);
}

bool achi_sim_run(struct achi_sim *s)
{
    struct sigaction old[4];

    s->claim = -1;
    s->step_end = ACHI_SIM_NEVER;
    s->speed = s->plan->speed;
    s->paused = s->plan->paused;
    choose_cores(s);
    if (achi_notes_open(s) != ACH_OK) {
        achi_sim_fail(s, "%s", ach_errstr());
        achi_notes_close(s);
        return false;
    }
    if (achi_board_open(s) != ACH_OK || achi_watch_open(s) != ACH_OK) {
        achi_sim_fail(s, "%s", ach_errstr());
        achi_board_close(s);
        achi_notes_close(s);
        return false;
    }
    running = s;
    handle(SIGCHLD, on_child, &old[0]);
    handle(SIGINT, on_end, &old[1]);
    handle(SIGTERM, on_end, &old[2]);
    handle(SIGHUP, on_end, &old[3]);
    if (open_files(s) && achi_children_start(s)) {
        become_real_time(s);
        if (gather(s))
            loop(s);
        achi_screen_show(s, true);
    }
    achi_children_end(s);
    sigaction(SIGCHLD, &old[0], NULL);
    sigaction(SIGINT, &old[1], NULL);
    sigaction(SIGTERM, &old[2], NULL);
    sigaction(SIGHUP, &old[3], NULL);
    close_files(s);
    achi_watch_close(s);
    achi_board_close(s);
    achi_notes_close(s);
    if (s->claim >= 0)
        close(s->claim);
    return !s->failed;
}

void achi_sim_finish(struct achi_sim *s)
{
    free(s->children);
    s->children = NULL;
}
