/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sim.h - the coordinator inside
 *
 * One loop (run.c) asks who is furthest behind. If it is the world, the world does
 * what is due (happen.c). If it is a sink that has asked for something, it gets its go
 * (note.c). If it is one that computes, it runs until it asks for something or its
 * slice is over (turn.c, look.c). Ties go to the world, then to the sink that came first.
 *
 * Times are virtual, in nanoseconds since the beginning, unless they are called wall.
 */
#ifndef ACHI_SIM_H
#define ACHI_SIM_H

#include <ach.h>
#include <ach/channel.h>
#include <ach/robot.h>
#include <signal.h>
#include <sys/types.h>

#include "board.h"
#include "ledger.h"
#include "plan.h"
#include "world.h"

struct achi_trace;

/* A process that we have started. */
struct achi_child {
    const struct achi_plan_controller *plan;
    size_t index;     /* among the controllers */
    pid_t pid;        /* 0: it has ended */
    pid_t group;      /* of all processes that it has started */
    bool hello;       /* one of its threads has come */
    unsigned threads; /* that have come so far */
    bool ended;
    int status;                  /* then, as of waitpid */
    struct achi_account account; /* of threads that have ended */
};

enum achi_phase {
    ACHI_COMPUTES, /* it has its go */
    ACHI_ASKS,     /* to touch the world, or has done so */
    ACHI_WAITS,    /* for a time, or for events */
    ACHI_AWAY      /* blocked outside, and the world goes on without it */
};

/* A thread of a controller. */
struct achi_sink {
    struct achi_sink *next; /* in the order of controllers, and in that in which they came */
    struct achi_child *child;
    pid_t pid, tid;
    int pidfd;
    achi_event_t signal; /* to its process */
    unsigned slot;       /* on the board */
    int row;             /* of the trace */
    int clock_fd;        /* its CPU time */
    ach_channel_t go;
    enum achi_phase phase;
    uint64_t serial; /* of its last note */
    int64_t time;
    int64_t cpu;       /* CPU time at that time */
    int64_t permit;    /* until when it was permitted to compute */
    int64_t wake;      /* WAITS: when it is to wake up, as far as is known */
    bool timed;        /* since its time will have come */
    uint64_t since;    /* WAITS */
    int64_t wall_wait; /* WAITS: since when */
    unsigned n_events;
    achi_event_t events[ACHI_SIM_EVENTS];

    bool post;   /* ASKS: it has put something, events[0] */
    bool leaves; /* and is no more */

    int64_t cycle;        /* when its cycle began */
    bool over;            /* its budget is used up in this cycle */
    int64_t call_cost;    /* CPU time that a call costs by itself */
    bool stopped;         /* its process is, by us */
    bool running;         /* it may use the processor now */
    int64_t armed;        /* then: what its slice is to take */
    int64_t wall_begin;   /* of the slice */
    int64_t delay;        /* what it had waited for a core until then */
    int64_t wall_end;     /* when to look at it */
    int64_t wall_resumed; /* when it could last begin to run */
    int64_t wall_asleep;  /* since when it sleeps outside, without progress; 0: it does not */
    int64_t cpu_asleep;   /* its CPU time then */
    int64_t cpu_look;     /* its CPU time at the first look since its go; -1: there was none */
    int64_t cpu_critical; /* the same, since it is in a critical section; -1: it is not */
    int64_t cpu_note;     /* its CPU time when it was last heard of */
    bool sliced;          /* since then it was stopped in its work */
    bool outside;         /* it was asleep when it was last looked at */
    struct achi_account account;
};

#define ACHI_POSTS 256u /* that are remembered, for who was about to wait */

struct achi_sim {
    struct achi_plan *plan;
    ach_robot_t *robot;
    ach_channels_t *channels;
    struct achi_world *world;
    struct achi_watch *watch;

    struct achi_board *board;
    unsigned slot_last; /* that was given away on it */
    int life;           /* the writing end of a FIFO that all controllers have open */

    ach_channel_t note, status, control;
    unsigned open; /* how many of them */
    int lock;      /* of the first one's file, against another coordinator */

    struct achi_child *children;
    struct achi_sink *sinks;
    int64_t now;     /* everybody is there, or further */
    int64_t last;    /* when the last of those that have ended did */
    int rows;        /* of the trace, beyond one for each controller */
    int64_t stepped; /* when the world last did something by itself */
    uint64_t posts;
    achi_event_t recent[ACHI_POSTS];

    char library[4200]; /* that controllers are started with */
    int claim;          /* of our core; -1: none */
    bool parallel;      /* several cores */
    bool fifo;          /* before everybody else */
    bool heavy;         /* the world's last step took long */
    int64_t wall_start;
    int64_t wall_shown;
    int64_t wall_looked; /* at the control channel */
    int64_t wall_swept;  /* dead threads away */
    int64_t wall_served; /* programs outside */
    int64_t wall_still;  /* spent in pauses */
    double speed;
    int64_t wall_paced, time_paced; /* since when the speed is limited to that */
    bool paused;
    int64_t step_end; /* paused again then */
    uint64_t activations;

    bool failed, over;
    volatile sig_atomic_t died, interrupted; /* by signal handlers */
    char why[512];
    bool screen;
    unsigned drawn; /* lines on it */
    struct achi_trace *trace;
    struct achi_ledger *ledger;
};

int64_t achi_wall(void);

/* End the run, as a failure, with a sentence; the first one counts. False. */
bool achi_sim_fail(struct achi_sim *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* note.c: channels between the coordinator and its sinks */
ach_status_t achi_notes_open(struct achi_sim *s);
void achi_notes_close(struct achi_sim *s);
bool achi_notes_take(struct achi_sim *s, int64_t wall_until); /* one; false: there was none */
void achi_note_interrupt(struct achi_sim *s);                 /* signal handlers may */
void achi_go_send(struct achi_sim *s, struct achi_sink *k, bool end, int64_t cpu);

/* sink.c: who there is */
struct achi_sink *achi_sink_add(struct achi_sim *s, const struct achi_note *n);
struct achi_sink *achi_sink_find(const struct achi_sim *s, pid_t tid);
bool achi_sink_names(const struct achi_sink *k, achi_event_t event); /* in its last note */
bool achi_sink_exists(const struct achi_sim *s, const struct achi_sink *k);
void achi_sink_remove(struct achi_sim *s, struct achi_sink *k);
int64_t achi_sink_time(const struct achi_sink *k);          /* how far behind it is */
struct achi_sink *achi_sink_last(const struct achi_sim *s); /* furthest behind */
int64_t achi_sink_horizon(const struct achi_sim *s, const struct achi_sink *k);
struct achi_clocks {
    int64_t cpu;   /* CPU time that it used */
    int64_t delay; /* wall time that it was ready and waited for a core */
};
void achi_sink_clocks(const struct achi_sink *k, struct achi_clocks *c);
int64_t achi_sink_cpu(const struct achi_sink *k);
/* What /proc says of a thread, behind its name; empty: it is no more. */
#define ACHI_STAT_SIZE 512
void achi_proc_stat(pid_t pid, pid_t tid, char text[ACHI_STAT_SIZE]);
char achi_sink_state(const struct achi_sink *k); /* 'R', 'S' and so on, as of /proc */
#define ACHI_PLACE_SIZE 320
const char *achi_sink_place(const struct achi_sink *k, char text[ACHI_PLACE_SIZE]);
bool achi_sinks_rest(pid_t pid); /* no thread of the process runs, or sleeps in the kernel only */
bool achi_sink_dead(const struct achi_sink *k);
bool achi_sink_signaled(const struct achi_sim *s, achi_event_t event); /* is it a signal to one? */
void achi_sinks_sweep(struct achi_sim *s); /* those that died without a bye, or hang */

/*
 * keeper.c: if we are killed, all controllers are ended, and what they have started. To be called
 * before channels are opened: the keeper would have a part of them.
 */
bool achi_keeper_start(struct achi_sim *s);

/* child.c: processes */
bool achi_children_start(struct achi_sim *s);
void achi_children_reap(struct achi_sim *s);
bool achi_children_left(const struct achi_sim *s);
void achi_children_end(struct achi_sim *s);
struct achi_child *achi_child_of(struct achi_sim *s, pid_t pid);
void achi_child_refused(struct achi_sim *s, pid_t pid); /* a call that sees real time */
const char *achi_status_words(int status, char *text, size_t size);

/* process.c: signals to processes, which are certainly ours */
pid_t achi_process_parent(pid_t pid);
int achi_process_open(pid_t pid); /* a descriptor; -1: it is none of ours */
void achi_process_stop(struct achi_sim *s, struct achi_sink *k); /* with all its threads */
void achi_process_continue(struct achi_sim *s, struct achi_sink *k);
void achi_process_forget(struct achi_sim *s, pid_t pid); /* all its threads */
void achi_process_ends(struct achi_sim *s, pid_t pid);   /* it has said so */

/* board.c: which threads may be stopped now */
ach_status_t achi_board_open(struct achi_sim *s);
void achi_board_close(struct achi_sim *s);
unsigned achi_board_slot(struct achi_sim *s); /* 0: all are taken */
/* Threads of the same process: let them park at the end of their section, and go on. */
void achi_board_want(struct achi_sim *s, const struct achi_sink *k);
void achi_board_want_others(struct achi_sim *s, const struct achi_sink *k); /* it has its turn */
void achi_board_release(struct achi_sim *s, const struct achi_sink *k);
bool achi_board_parked(const struct achi_sim *s, const struct achi_sink *k);
bool achi_board_critical(const struct achi_sim *s, const struct achi_sink *k);

/* turn.c: whose turn it is to use the processor */
void achi_turn_grant(struct achi_sim *s, struct achi_sink *k);
void achi_turn_died(struct achi_sim *s, struct achi_sink *k); /* without a bye */
void achi_turn_leave(struct achi_sim *s, struct achi_sink *k);
void achi_turn_heard(struct achi_sim *s, struct achi_sink *k, const struct achi_note *n);
void achi_turn_dispatch(struct achi_sim *s);
void achi_turn_start(struct achi_sim *s, struct achi_sink *k); /* a slice */
void achi_turn_resume(struct achi_sim *s, struct achi_sink *k, int64_t length);
bool achi_turn_measured(const struct achi_sink *k);
void achi_turn_trace(struct achi_sim *s, struct achi_sink *k, const char *what, int64_t time);
/* It was permitted to compute until then, its time is that now, and its CPU clock says so. */
void achi_turn_charge(struct achi_sink *k, int64_t permit, int64_t time, int64_t cpu);
void achi_turn_check_budget(struct achi_sim *s, struct achi_sink *k);

/* look.c: sinks that compute and say nothing */
void achi_look_wait(struct achi_sim *s); /* until somebody says something, or a slice is over */
void achi_look_halt(struct achi_sim *s); /* all that compute, for a pause */
bool achi_look_asleep(const struct achi_sink *k);

/* happen.c: what happens in the world */
int64_t achi_happen_next(struct achi_sim *s);
bool achi_happen_at(struct achi_sim *s, int64_t time);
void achi_happen_post(struct achi_sim *s, achi_event_t event, int64_t time);
void achi_happen_signal(struct achi_sim *s, pid_t pid, int64_t time); /* to that process */
void achi_happen_serve(struct achi_sim *s);                           /* who looks from outside */
bool achi_happened_since(const struct achi_sim *s, const struct achi_sink *k);
void achi_watch_want(struct achi_sim *s, const achi_event_t *events, unsigned n);
ach_status_t achi_watch_open(struct achi_sim *s);
void achi_watch_close(struct achi_sim *s);

/* control.c: pause, step, speed */
bool achi_control(struct achi_sim *s);         /* take words, and pause; false: the run is over */
bool achi_control_pace(struct achi_sim *s);    /* wait for the speed limit; false: not yet */
void achi_control_rebase(struct achi_sim *s);  /* before the speed limit changes */
int64_t achi_control_time(struct achi_sim *s); /* for one that comes back from outside */

/* screen.c: what is shown while it runs, and at the end */
void achi_screen_show(struct achi_sim *s, bool last);
void achi_screen_report(const struct achi_sim *s, FILE *out);

/* trace.c: who ran when, as JSON that Perfetto and Chrome open */
ach_status_t achi_trace_open(const char *path, const struct achi_sim *s, struct achi_trace **t);
void achi_trace_add(struct achi_trace *t, const struct achi_sink *k, const char *what, int64_t wall,
                    int64_t wall_length, int64_t time, int64_t length);
void achi_trace_row(struct achi_trace *t, int row, const char *controller, unsigned thread);
bool achi_trace_close(struct achi_trace *t);

/* run.c: a whole run. What it is to be is in plan, world, robot and channels. False: see why. */
bool achi_sim_run(struct achi_sim *s);
void achi_sim_finish(struct achi_sim *s); /* after the report */

#endif
