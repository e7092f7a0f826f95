/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - state of the process and of the thread, shared by the client's files */
#ifndef SIMC_SINK_H
#define SIMC_SINK_H

#include <ach.h>

#include "client.h"

enum simc_sink_state {
    SIMC_SINK_NEW, /* has not sent HELLO */
    SIMC_SINK_ON,
    SIMC_SINK_GONE /* has sent BYE, or the simulation is over */
};

struct simc_sink {
    enum simc_sink_state state;
    unsigned inside; /* calls of the client that are under way in this thread */
    int32_t tid;
    uint32_t parent;                         /* tid that forked this process, for HELLO */
    volatile bool nudged;                    /* by a signal handler that interrupted the client */
    const struct sim_note *volatile awaited; /* the pending WAIT; NULL: none */
    bool spent;                              /* declared: this cycle's cost was charged */
    ach_channel_t go;                        /* created by this thread */
    uint64_t serial;
    struct sim_go last;
    int64_t base_time; /* virtual time when the CPU clock was at base_cpu */
    int64_t base_cpu;
    int64_t now;           /* virtual time, as computed last */
    int64_t cpu;           /* CPU time at `now` */
    unsigned critical;     /* nesting depth of simc_critical */
    bool awaits;           /* it waits for its go */
    bool masked;           /* simc_sink_mask has changed the signal mask */
    uint64_t mask;         /* if masked: the mask to restore */
    struct sim_slot *slot; /* on the board; NULL: none yet */
    struct simc_sink *next;
};

extern __thread struct simc_sink simc_sink_self __attribute__((tls_model("initial-exec")));

struct simc_process {
    int mode;    /* enum simc_mode */
    int32_t pid; /* 0 after fork: call getpid again */
    char name[SIM_NAME_MAX];
    int32_t coordinator; /* its pid, 0: unknown */
    int64_t epoch;
    int64_t cost; /* CPU time of reading the virtual time once */
    ach_channel_t note;
    struct sim_board *board; /* NULL: there is none */
    int life; /* FIFO by which the kernel kills the process (parent_death.c); 0: none */
};

enum simc_mode { SIMC_MODE_UNKNOWN, SIMC_MODE_OFF, SIMC_MODE_ON };

extern struct simc_process simc_process;

/* Map the board of a simulation; NULL: there is no usable one. */
struct sim_board *simc_sink_board(const char *sim);

/* Have the kernel kill this process when the coordinator exits. Call again after fork. */
void simc_sink_tie(struct simc_process *p);

/* Write the calling thread's section to its slot on the board. */
void simc_sink_show(struct simc_sink *s);

/* CPU time of the calling thread. */
int64_t simc_sink_cpu(void);

/* Get the newest go that was not read yet; waits wait_ns for it. False: none. */
bool simc_sink_newest(struct simc_sink *s, int64_t wait_ns, struct sim_go *go);

/* The calling thread's sink; sends HELLO first. NULL: no simulation, or the sink has ended. */
struct simc_sink *simc_sink(void);

/*
 * Block the signals that have handlers, and unblock them: from a note to the end of the call that
 * sends it. A handler that left a put by longjmp would leave the channel locked. One that left
 * before the go has come would let the thread run while the coordinator assumes that it waits.
 */
void simc_sink_mask(struct simc_sink *s);
void simc_sink_unmask(struct simc_sink *s);

/* ask: send a note with the sink's time (tell), then wait for its go (await). tell masks. */
ach_status_t simc_sink_ask(struct simc_sink *s, struct sim_note *note);
ach_status_t simc_sink_tell(struct simc_sink *s, struct sim_note *note);
ach_status_t simc_sink_await(struct simc_sink *s, const struct sim_note *note);

/* Read a new go, if there is one; then update s->now. */
ach_status_t simc_sink_look(struct simc_sink *s);

/* From now on the thread's CPU time is charged again. */
void simc_sink_thaw(struct simc_sink *s);

/* The simulation is over: call achi_sim_over, and return ACH_CLOSED. */
ach_status_t simc_sink_end(struct simc_sink *s);

#endif
