/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * protocol.h - messages between the coordinator and its time sinks
 *
 * A time sink is a thread of a controller. It has a virtual time of its own, which moves
 * with the CPU time it uses. A sink may touch the world, that is put or get a message, only when
 * no other sink has an earlier time. So each sink sees the world as it is at the sink's own time,
 * and the result of a computation of c ms takes effect c ms later.
 *
 * Two kinds of channels, named after the simulation:
 *
 *     sim.NAME.note      all sinks write; the coordinator reads all notes in order
 *     sim.NAME.go.TID    the coordinator writes; one sink creates it and reads the newest go
 *
 * A sink puts a note and sleeps until a go with the note's serial comes; a newer note replaces
 * one that was not answered. Gets up to the horizon need no note: no other sink acts before it.
 * The newest go is also the sink's clock:
 *
 *     time = go.time + (CPU time of the thread now - go.cpu)
 *
 * where the sink reads go.cpu from its own CPU clock when it wakes up. The coordinator sets
 * go.cpu only if it stopped the thread at the end of a slice, or found it blocked outside.
 *
 * In the environment of a controller:
 *     ACH_SIM        NAME
 *     ACH_SIM_NAME   what the config file calls the controller
 *     ACH_SIM_PID    the coordinator's process
 *     ACH_SIM_EPOCH  CLOCK_REALTIME at the beginning of the simulation, seconds since 1970
 */
#ifndef SIM_PROTOCOL_H
#define SIM_PROTOCOL_H

#include <stdint.h>

#define SIM_VERSION 2u
#define SIM_EVENTS 16       /* events that one note can name */
#define SIM_NEVER INT64_MAX /* no time: infinitely late */
#define SIM_NAME_MAX 32
#define SIM_STATUS_REFUSED 121 /* exit status of a process that was refused a call */

enum sim_note_kind {
    SIM_NOTE_HELLO = 1, /* a new thread; its go has the virtual time at which it begins */
    SIM_NOTE_ACT,       /* the sink wants to touch the world at note.time */
    SIM_NOTE_POST,      /* the sink has: events[0] happened; sinks that wait for it wake up */
    SIM_NOTE_WAIT,      /* until note.until, or until one of the events happens */
    SIM_NOTE_BYE,       /* the thread ends; neither this nor a POST just before gets a go */
    SIM_NOTE_REFUSED    /* a call was refused, as logged on stderr: fail the run; gets no go */
};

/*
 * An event that can be waited for: a hash of a channel's name, or of a pid and an address in that
 * process. Two events with the same hash cause spurious wake-ups.
 */
typedef uint64_t sim_event_t;

/* A WAIT for it ends after POLL_PERIOD (schedule.c), to poll what the simulation cannot see. */
#define SIM_EVENT_POLL 0u

struct sim_note {
    uint32_t version;
    uint32_t kind;
    int32_t pid, tid;
    uint64_t serial; /* the sink's, from 1; echoed by the go */
    int64_t time;    /* the sink's virtual time */
    int64_t cpu;     /* CPU time of the thread at `time` */
    int64_t begin;   /* CPU time from which it is charged: excludes calls of the client */
    int64_t until;   /* WAIT: a virtual time, or SIM_NEVER; HELLO: calibrated cost of a call */
    uint64_t since;  /* WAIT: go.posts before the sink last checked its condition; HELLO: 1: the
                       sink has mapped the board (board.h) */
    uint32_t n_events;
    uint32_t parent; /* HELLO: tid of the creating thread, or 0; BYE: 1: the process ends */
    sim_event_t events[SIM_EVENTS]; /* only n_events of them are sent */
};

/* How a sink is charged. */
enum sim_cost {
    SIM_COST_MEASURED, /* CPU time */
    SIM_COST_DECLARED, /* go.cost in each cycle, at its first POST, or else at its WAIT */
    SIM_COST_FREE      /* nothing: for comparison */
};

struct sim_go {
    uint32_t version;
    uint32_t end;    /* 1: the simulation is over: end */
    uint64_t serial; /* of the note it answers */
    int64_t time;    /* the sink's virtual time */
    int64_t cpu;     /* CPU time of the thread at `time`; -1: the sink reads it on wake-up */
    int64_t horizon; /* no other sink acts before this time: gets until then need no ACT */
    uint64_t posts;  /* number of events so far, of all sinks and the world */
    uint32_t model;  /* enum sim_cost */
    uint32_t timed;  /* WAIT: 1: timeout; 0: an event */
    int64_t cost;    /* SIM_COST_DECLARED: of a cycle */
    uint32_t slot;   /* the sink's, on the board; 0: none */
    uint32_t away; /* 1: the world goes on without the sink: its next call must send a note first */
};

#endif
