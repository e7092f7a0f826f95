/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - internal header of the coordinator
 *
 * One loop (run.c) picks the party with the earliest virtual time. If that is the world, it
 * processes what is due (events.c). If it is a sink with a pending note, the sink gets its go
 * (go.c). If it is a sink that computes, it runs until it sends a note or its slice is over
 * (schedule.c, watchdog.c). Ties go to the world, then to the sink that is first in the list.
 *
 * Times are virtual, in nanoseconds since the run began, unless they are called wall.
 */
#ifndef SIM_H
#define SIM_H

#include <ach.h>
#include <ach/channel.h>
#include <ach/robot.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../util/monotonic.h"
#include "board.h"
#include "devices/world.h"
#include "ledger.h"
#include "plan.h"

struct sim_trace;

/* A controller: the process that the coordinator started, and its descendants. */
struct sim_child {
    const struct sim_plan_controller *plan;
    size_t index;     /* of its section in the world file, from 0 */
    pid_t pid;        /* 0: it has exited */
    pid_t group;      /* process group, shared with the processes that it starts */
    bool hello;       /* a HELLO note has come from one of its threads */
    unsigned threads; /* sinks added so far */
    bool ended;
    int status;                 /* if ended: as from waitpid */
    struct sim_account account; /* sum over its threads that have ended */
};

enum sim_phase {
    SIM_COMPUTES, /* its last note was answered with a go */
    SIM_ASKS,     /* HELLO, ACT or POST is pending */
    SIM_WAITS,    /* WAIT is pending: for a time, or for events */
    SIM_AWAY      /* blocked outside; the world goes on without it (SIM_OUTSIDE_LEAVE) */
};

/* A thread of a controller. */
struct sim_sink {
    struct sim_sink *next; /* ordered by controller, then by arrival */
    struct sim_sink *next_gone;
    bool gone; /* removed, and not yet freed */
    struct sim_child *child;
    pid_t pid, tid;
    int pidfd;
    sim_event_t signal; /* the event that a signal to its process posts */
    unsigned slot;      /* on the board */
    int row;            /* of the trace */
    int clock_fd;       /* /proc/PID/task/TID/schedstat: its CPU time */
    ach_channel_t go;
    enum sim_phase phase;
    uint64_t serial; /* of its last note */
    int64_t time;
    int64_t cpu;       /* its CPU time at virtual time `time` */
    int64_t permit;    /* virtual time up to which it was permitted to compute */
    int64_t wake;      /* WAITS: virtual time at which it wakes, as known so far */
    bool timed;        /* WAITS: `wake` is its timeout, not an event */
    uint64_t since;    /* WAITS: note.since */
    int64_t wall_wait; /* WAITS: when the wait began */
    unsigned n_events;
    sim_event_t events[SIM_EVENTS];

    bool post;   /* ASKS: the note is a POST of events[0], not yet announced */
    bool leaves; /* its BYE came too: remove it after that POST */

    int64_t cycle;        /* when its cycle began */
    bool over;            /* it has overrun its budget in this cycle */
    int64_t call_cost;    /* CPU time that one call of the client costs; not charged */
    bool stopped;         /* the coordinator has stopped its process */
    bool running;         /* it has a slice, and its process is not stopped */
    int64_t armed;        /* planned length of its slice */
    int64_t wall_begin;   /* of the slice */
    int64_t delay;        /* sim_clocks.delay when the slice began */
    int64_t wall_end;     /* when to check it (watchdog.c) */
    int64_t wall_resumed; /* when it was last continued */
    int64_t cpu_resumed;  /* its CPU time when a critical section was last continued */
    int64_t wall_asleep;  /* since when it sleeps without using CPU time; 0: not asleep */
    int64_t cpu_asleep;   /* its CPU time at wall_asleep */
    int64_t cpu_look;     /* its CPU time at the first check since its go; -1: none yet */
    int64_t cpu_critical; /* CPU time of its process when found critical; -1: it is not */
    int64_t cpu_note;     /* its CPU time at its last note */
    bool sliced;          /* it was stopped at the end of a slice since its last note */
    bool outside;         /* it was blocked outside at the last check */
    struct sim_account account;
};

#define SIM_POSTS 256u /* recent events kept, for WAIT notes that come too late */

struct sim_sim {
    struct sim_plan *plan;
    ach_robot_t *robot;
    ach_channels_t *channels;
    struct simd_world *world;
    struct sim_watch *watch;

    struct sim_board *board;
    unsigned slot_last; /* the slot assigned last */
    int life;           /* write end of the FIFO of client/parent_death.c */

    ach_channel_t note, status, control;
    unsigned open; /* how many of the three channels are open */
    int lock;      /* on the file of `note`: excludes a second coordinator of this name */

    struct sim_child *children;
    struct sim_sink *sinks;
    struct sim_sink *gone; /* removed, to be freed */
    int64_t now;           /* neither the world nor a sink acts before this time any more */
    int64_t last;          /* the latest time of a sink that has ended */
    int rows;              /* of the trace, beyond one for each controller */
    int64_t stepped;       /* time of the world's last step */
    uint64_t posts;        /* events so far */
    sim_event_t recent[SIM_POSTS];

    char library[4200];  /* LD_PRELOAD of the controllers */
    struct rlimit files; /* limit of open files of the controllers */
    int claim;           /* socket that claims the core; -1: none */
    bool parallel;       /* several cores are used */
    bool fifo;           /* the coordinator runs under SCHED_FIFO */
    bool heavy;          /* the world's last step took longer than HEAVY (run.c) */
    int64_t wall_start;
    int64_t wall_shown;
    int64_t wall_looked; /* when the control channel was last read */
    int64_t wall_swept;  /* when dead sinks were last removed */
    int64_t wall_served; /* when requests from outside were last served */
    int64_t wall_still;  /* total wall time of pauses */
    double speed;
    int64_t wall_paced, time_paced; /* the two times from which the speed limit counts */
    bool paused;
    int64_t step_end; /* virtual time at which "step" pauses again */
    uint64_t activations;

    bool failed, over;
    volatile sig_atomic_t died, interrupted; /* set by signal handlers */
    char why[512];
    bool screen;
    unsigned drawn; /* lines drawn on the terminal */
    struct sim_trace *trace;
    struct sim_ledger *ledger;
};

/* Is it charged for its CPU time? */
static inline bool sim_schedule_measured(const struct sim_sink *k)
{
    return k->child->plan->model == SIM_COST_MEASURED;
}

/* sim.c */

/* Fail the run with a message; only the first one is kept. Returns false. */
bool sim_fail(struct sim_sim *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* note.c: channels between the coordinator and its sinks */
ach_status_t sim_notes_open(struct sim_sim *s);
void sim_notes_close(struct sim_sim *s);
/* Receive one note; false: there was none. *understood: it is well-formed. */
bool sim_notes_get(struct sim_sim *s, struct sim_note *n, int64_t wall_until, bool *understood);
void sim_note_interrupt(struct sim_sim *s); /* async-signal-safe */

/* dispatch.c: notes are dispatched */
bool sim_notes_take(struct sim_sim *s, int64_t wall_until); /* one note; false: there was none */

/* go.c: permission to compute */
void sim_go_send(struct sim_sim *s, struct sim_sink *k, bool end, int64_t cpu);

/* sink.c: the list of sinks */
struct sim_sink *sim_sink_add(struct sim_sim *s, const struct sim_note *n);
struct sim_sink *sim_sink_find(const struct sim_sim *s, pid_t tid);
bool sim_sink_names(const struct sim_sink *k, sim_event_t event); /* in its last note */
void sim_sink_remove(struct sim_sim *s, struct sim_sink *k);
void sim_sinks_free(struct sim_sim *s); /* those that were removed, between two steps of the loop */
int64_t sim_sink_time(const struct sim_sink *k); /* of its next action; SIM_NEVER: AWAY */
struct sim_child *sim_child_of(struct sim_sim *s, pid_t pid);
bool sim_sink_signaled(const struct sim_sim *s, sim_event_t event); /* is it a signal to one? */

/* horizon.c: the order of sinks by virtual time */
struct sim_sink *sim_sink_last(const struct sim_sim *s); /* the one with the earliest time */
int64_t sim_sink_horizon(const struct sim_sim *s, const struct sim_sink *k);

/* proc.c: a thread's state in /proc */
struct sim_clocks {
    int64_t cpu;   /* CPU time used */
    int64_t delay; /* wall time spent runnable, waiting for a core */
};
int sim_proc_open(pid_t pid, pid_t tid, const char *what); /* a descriptor; -1: no such file */
void sim_sink_clocks(const struct sim_sink *k, struct sim_clocks *c);
int64_t sim_sink_cpu(const struct sim_sink *k);
/* /proc/PID/task/TID/stat after the command name; empty: the thread has exited. */
#define SIM_STAT_SIZE 512
void sim_proc_stat(pid_t pid, pid_t tid, char text[SIM_STAT_SIZE]);
char sim_sink_state(const struct sim_sink *k); /* 'R', 'S' and so on, as in /proc */
#define SIM_PLACE_SIZE 320
const char *sim_sink_place(const struct sim_sink *k, char text[SIM_PLACE_SIZE]);
bool sim_sinks_rest(pid_t pid); /* no thread of the process is in state R or D */
bool sim_sink_dead(const struct sim_sink *k);
bool sim_sink_asleep(const struct sim_sink *k);

/* exits.c: sinks that end */
void sim_exits_leave(struct sim_sim *s, struct sim_sink *k);
void sim_process_forget(struct sim_sim *s, pid_t pid); /* all its threads */
void sim_process_ends(struct sim_sim *s, pid_t pid);   /* after its BYE */

/* sweep.c: sinks that died without a BYE. True: it was dead, and is removed. */
bool sim_sink_sweep(struct sim_sim *s, struct sim_sink *k);
void sim_sinks_sweep(struct sim_sim *s); /* all; fail if one hangs */

/*
 * reaper.c: if the coordinator is killed, a helper process kills all controllers and what they
 * have started. Call this before channels are opened: the reaper would inherit their mappings.
 */
bool sim_reaper_start(struct sim_sim *s);

/* child.c: processes */
bool sim_children_start(struct sim_sim *s);
void sim_children_reap(struct sim_sim *s);
bool sim_children_left(const struct sim_sim *s);
void sim_children_end(struct sim_sim *s);

/* process.c: signals to processes that descend from the coordinator */
pid_t sim_process_parent(pid_t pid);
/*
 * Sleep while a process that may need this core does something, and double LENGTH, up to 1 ms. As
 * the coordinator is SCHED_FIFO, many short sleeps of it would leave the core to nobody.
 */
void sim_process_nap(int64_t *length);
int sim_process_open(pid_t pid); /* a pidfd; -1 with errno: ECHILD: not a descendant */
void sim_process_stop(struct sim_sim *s, struct sim_sink *k); /* SIGSTOP, for all its threads */
void sim_process_continue(struct sim_sim *s, struct sim_sink *k);

/* board.c: which threads may be stopped now */
ach_status_t sim_board_open(struct sim_sim *s);
void sim_board_close(struct sim_sim *s);
unsigned sim_board_slot(struct sim_sim *s); /* a free one; 0: all are taken */
/* Ask the threads of k's process to park at the end of their section; release wakes them. */
void sim_board_want(struct sim_sim *s, const struct sim_sink *k);
void sim_board_want_others(struct sim_sim *s, const struct sim_sink *k); /* all but k, which runs */
void sim_board_release(struct sim_sim *s, const struct sim_sink *k);
bool sim_board_parked(const struct sim_sim *s, const struct sim_sink *k);
bool sim_board_critical(const struct sim_sim *s, const struct sim_sink *k);

/* schedule.c: which sink may use the processor */
void sim_schedule_grant(struct sim_sim *s, struct sim_sink *k);
/* Charge what a sink has computed since its last note, when it says BYE. */
void sim_schedule_last(struct sim_sink *k, const struct sim_note *n);
void sim_schedule_heard(struct sim_sim *s, struct sim_sink *k, const struct sim_note *n);
void sim_schedule_dispatch(struct sim_sim *s);
void sim_schedule_start(struct sim_sim *s, struct sim_sink *k); /* begin a slice */
void sim_schedule_resume(struct sim_sim *s, struct sim_sink *k, int64_t length);
void sim_schedule_trace(struct sim_sim *s, struct sim_sink *k, const char *what, int64_t time);
/* Set its granted time, its virtual time and its CPU time, and account for the differences. */
void sim_schedule_charge(struct sim_sink *k, int64_t permit, int64_t time, int64_t cpu);
void sim_schedule_check_budget(struct sim_sim *s, struct sim_sink *k);

/* watchdog.c: sinks that compute without sending a note */
void sim_watchdog_wait(struct sim_sim *s); /* for a note, or for the end of a slice */
void sim_watchdog_halt(struct sim_sim *s); /* stop all sinks that compute, for a pause */

/* events.c: the world's steps, and the sinks that its events wake */
int64_t sim_events_next(struct sim_sim *s);
bool sim_events_at(struct sim_sim *s, int64_t time);
void sim_events_post(struct sim_sim *s, sim_event_t event, int64_t time);
void sim_events_signal(struct sim_sim *s, pid_t pid, int64_t time); /* to process pid */
void sim_events_serve(struct sim_sim *s);                           /* programs outside */
bool sim_events_since(const struct sim_sim *s, const struct sim_sink *k);
void sim_watch_want(struct sim_sim *s, const sim_event_t *events, unsigned n);
ach_status_t sim_watch_open(struct sim_sim *s);
void sim_watch_close(struct sim_sim *s);

/* control.c: pause, step, speed */
bool sim_control(struct sim_sim *s);      /* commands and pauses; false: the run is over */
bool sim_control_pace(struct sim_sim *s); /* wait for the speed limit; false: not yet */

/* pace.c: the speed limit */
void sim_control_rebase(struct sim_sim *s);   /* before the speed limit changes */
int64_t sim_control_time(struct sim_sim *s);  /* for a sink that comes back from outside */
int64_t sim_control_ahead(struct sim_sim *s); /* wall time by which the next step is too early */
bool sim_sinks_away(const struct sim_sim *s); /* is any sink AWAY? */

/* status.c: status while the run goes on, and the report at its end */
void sim_status_show(struct sim_sim *s, bool last);
void sim_status_report(const struct sim_sim *s, FILE *out);

/* trace.c: when each sink ran, as JSON that Perfetto and Chrome open */
ach_status_t sim_trace_open(const char *path, const struct sim_sim *s, struct sim_trace **t);
void sim_trace_add(struct sim_trace *t, const struct sim_sink *k, const char *what, int64_t wall,
                   int64_t wall_length, int64_t time, int64_t length);
void sim_trace_row(struct sim_trace *t, int row, const char *controller, unsigned thread);
bool sim_trace_close(struct sim_trace *t);

/* run.c: a whole run, as set up in plan, world, robot and channels. False: see s->why. */
bool sim_run(struct sim_sim *s);
void sim_finish(struct sim_sim *s); /* after the report */

#endif
