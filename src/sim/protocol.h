/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.h - what the coordinator and its time sinks say to each other
 *
 * A time sink is a thread of a controller. It has a virtual time of its own, which moves
 * with the CPU time it uses. Nobody may touch the world, that is put or get a
 * message, while somebody else is further behind: so everybody sees the world as it was
 * at his own time, and what is computed in c ms acts c ms later.
 *
 * Two kinds of channels, named after the simulation:
 *
 *     sim.NAME.note      all sinks write, the coordinator reads each in its order
 *     sim.NAME.go.TID    the coordinator writes, one sink reads the newest; made by the sink
 *
 * A sink puts a note and sleeps until a go with the note's serial comes; a newer note takes
 * the place of one that was not answered. It need not
 * ask for what it reads before the horizon: until then nobody else can act.
 * The newest go is also the sink's clock:
 *
 *     time = go.time + (CPU time of the thread now - go.cpu)
 *
 * where the sink itself takes go.cpu when it wakes up, unless the coordinator says it,
 * having stopped the thread in the midst of its work.
 *
 * In the environment of a controller:
 *     ACH_SIM        NAME
 *     ACH_SIM_NAME   what the config file calls the controller
 *     ACH_SIM_PID    the coordinator's process
 *     ACH_SIM_EPOCH  what CLOCK_REALTIME says when the simulation begins, seconds since 1970
 */
#ifndef ACHI_SIM_PROTOCOL_H
#define ACHI_SIM_PROTOCOL_H

#include <stdint.h>

#define ACHI_SIM_VERSION 2u
#define ACHI_SIM_EVENTS 16       /* that one note can name */
#define ACHI_SIM_NEVER INT64_MAX /* a time that does not come */
#define ACHI_SIM_NAME_MAX 32
#define ACHI_STATUS_REFUSED 121 /* exit status of a process that was refused a call */

enum achi_note_kind {
    ACHI_NOTE_HELLO = 1, /* here is a thread; its go says when it begins */
    ACHI_NOTE_ACT,       /* I want to touch the world at my time */
    ACHI_NOTE_POST,      /* I have: something happened to events[0]; who waits for it may look */
    ACHI_NOTE_WAIT,      /* until that time, or until something happens to one of the events */
    ACHI_NOTE_BYE,       /* the thread ends; there is no go, nor for a POST before */
    ACHI_NOTE_REFUSED    /* I said why on standard error: end the run. There is no go */
};

/*
 * What can be waited for: a hash of a channel's name, or of an address in a process and
 * the process. Two with the same hash wake each other for nothing.
 */
typedef uint64_t achi_event_t;

/* Something happens to this one at each step of the world: for what the simulation cannot see. */
#define ACHI_EVENT_POLL 0u

struct achi_note {
    uint32_t version;
    uint32_t kind;
    int32_t pid, tid;
    uint64_t serial; /* the sink's, from 1; echoed by the go */
    int64_t time;    /* the sink's virtual time */
    int64_t cpu;     /* CPU time of the thread, as it was read for that */
    int64_t begin;   /* and when it last began to count: calls before are left out */
    int64_t
        until; /* WAIT: a virtual time, or ACHI_SIM_NEVER; HELLO: what a call costs, calibrated */
    uint64_t since; /* WAIT: go.posts when the sink last looked at what it waits for; HELLO: 1: the
                       sink has the board (board.h) */
    uint32_t n_events;
    uint32_t parent; /* HELLO: the tid of who started it, or 0; BYE: 1: the whole process ends */
    achi_event_t events[ACHI_SIM_EVENTS]; /* only n_events of them are sent */
};

/* How a sink is charged. */
enum achi_cost {
    ACHI_COST_MEASURED, /* CPU time */
    ACHI_COST_DECLARED, /* go.cost in each cycle, at its first POST, or else at its WAIT */
    ACHI_COST_FREE      /* nothing: for comparison */
};

struct achi_go {
    uint32_t version;
    uint32_t end;    /* 1: the simulation is over: end */
    uint64_t serial; /* of the note it answers */
    int64_t time;    /* the sink's virtual time */
    int64_t cpu;     /* CPU time of the thread at that time; -1: as it is when this is read first */
    int64_t horizon; /* nobody else acts before that; gets up to there need no ACT */
    uint64_t posts;  /* how many POSTs there were, of all */
    uint32_t model;  /* enum achi_cost */
    uint32_t timed;  /* WAIT: 1: its time has come; 0: an event */
    int64_t cost;    /* ACHI_COST_DECLARED: of a cycle */
    uint32_t slot;   /* the sink's, on the board; 0: none */
    uint32_t away; /* 1: the world goes on without the sink: it must ask before it does anything */
};

#endif
