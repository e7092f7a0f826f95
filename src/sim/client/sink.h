/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - what the files of the client share: the process and the thread */
#ifndef ACHI_SIM_SINK_H
#define ACHI_SIM_SINK_H

#include <ach.h>

#include "client.h"

enum achi_sink_state {
    ACHI_SINK_NEW, /* has not said hello */
    ACHI_SINK_ON,
    ACHI_SINK_GONE /* has said bye, or the simulation is over */
};

struct achi_sink {
    enum achi_sink_state state;
    unsigned inside; /* calls of the client that are under way in this thread */
    int32_t tid;
    uint32_t parent;                          /* who forked this process, until the hello */
    volatile bool nudged;                     /* by a signal handler that interrupted the client */
    const struct achi_note *volatile awaited; /* a WAIT whose go has not come */
    bool spent;                               /* declared: this cycle's cost was charged */
    ach_channel_t go;                         /* made by this thread */
    uint64_t serial;
    struct achi_go last;
    int64_t base_time; /* virtual time when the CPU clock was at base_cpu */
    int64_t base_cpu;
    int64_t now;            /* what was said last */
    int64_t cpu;            /* when that was said */
    unsigned critical;      /* sections that must not be interrupted, one inside the other */
    bool awaits;            /* it sleeps until its go comes */
    bool masked;            /* the thread's signal mask is to be restored */
    uint64_t mask;          /* to this */
    struct achi_slot *slot; /* on the board; NULL: none yet */
    struct achi_sink *next;
};

extern __thread struct achi_sink achi_sink_self __attribute__((tls_model("initial-exec")));

struct achi_sim_process {
    int mode;    /* enum achi_sim_mode */
    int32_t pid; /* 0 after fork: ask again */
    char name[ACHI_SIM_NAME_MAX];
    int32_t coordinator; /* its pid, 0: unknown */
    int64_t epoch;
    int64_t cost; /* of finding out the time */
    ach_channel_t note;
    struct achi_board *board; /* NULL: there is none */
    int life;                 /* a descriptor by which the kernel ends the process; 0: none */
};

enum achi_sim_mode { ACHI_MODE_UNKNOWN, ACHI_MODE_OFF, ACHI_MODE_ON };

extern struct achi_sim_process achi_sim_process;

/* Map the board of a simulation; NULL: there is none that could be used. */
struct achi_board *achi_sink_board(const char *sim);

/* Let the kernel end this process when the coordinator is gone. Again after fork. */
void achi_sink_tie(struct achi_sim_process *p);

/* Show the coordinator in what section the calling thread is. */
void achi_sink_show(struct achi_sink *s);

/* CPU time of the calling thread. */
int64_t achi_sink_cpu(void);

/* The newest go, if there is one that was not seen; waits so long for it. */
bool achi_sink_newest(struct achi_sink *s, int64_t wait_ns, struct achi_go *go);

/* The calling thread's sink, after its hello; NULL: there is no simulation, or not for it. */
struct achi_sink *achi_sink(void);

/*
 * Block the signals that have handlers, and unblock them: from a note to the end of the call that
 * sends it. A handler that jumped out of a put would leave the channel locked. One that jumped out
 * before the go has come would let the thread run while the coordinator believes that it waits.
 */
void achi_sink_mask(struct achi_sink *s);
void achi_sink_unmask(struct achi_sink *s);

/* Send a note, with the sink's time, and sleep until its go is here. Masks. */
ach_status_t achi_sink_ask(struct achi_sink *s, struct achi_note *note);
ach_status_t achi_sink_tell(struct achi_sink *s, struct achi_note *note);
ach_status_t achi_sink_await(struct achi_sink *s, const struct achi_note *note);

/* From now on the thread's CPU time counts again. */
void achi_sink_thaw(struct achi_sink *s);

/* The simulation is over. */
ach_status_t achi_sink_end(struct achi_sink *s);

#endif
