/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.h - makes a thread a time sink
 *
 * Each thread that calls one of these is a sink of the simulation, from its first call
 * until it ends. The CPU time of these functions and of the calls beneath them is not charged.
 *
 * A thread that is inside one of them may be interrupted by a signal handler that calls
 * them again: for the handler time stands still, and no note is sent to the coordinator.
 *
 * When the simulation is over they return ACH_CLOSED. If achi_sim_over is set it is called
 * first, and should not return.
 */
#ifndef SIMC_CLIENT_H
#define SIMC_CLIENT_H

#include <ach/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "event.h"

extern void (*achi_sim_over)(void);

/* Called, if defined, before anything else that the client does in a process of a simulation. */
__attribute__((weak)) void simc_early(void);

/* Is this process part of a simulation? The first call finds out. */
bool simc_active(void);

/* May this thread send notes? Not from inside the client, nor after its bye. */
bool simc_free(void);

/*
 * Between hold and release the thread counts as inside the client: its time stands still, and a
 * signal handler cannot enter the client.
 */
void simc_hold(void);
void simc_release(void);

/*
 * Enclose code in which the thread must not be stopped, such as a call that takes a channel's lock:
 * others would wait until this thread runs again. May be nested. Costs no system call.
 */
void simc_critical(void);
void simc_uncritical(void);

/* CLOCK_REALTIME at virtual time 0, in nanoseconds. */
int64_t simc_epoch(void);

/* The calling thread's virtual time. Never goes back. */
int64_t simc_now(void);

/* Wait until the thread may touch the world: no other sink has an earlier time. */
ach_status_t simc_act(void);

/* Declared costs: charge the cycle's cost, once per cycle, before a put. */
void simc_charge(void);

/* Post the event: it wakes the sinks that wait for it. */
ach_status_t simc_post(sim_event_t event);

/* From a signal handler: if the thread is in simc_wait, end the wait early. */
void simc_nudge(void);

/* If set: called every 0.5 s while a thread waits. True: the wait ends early, as with a nudge. */
extern bool (*achi_sim_disturbed)(void);

/* Signals with a handler of the program, as a kernel signal set; without faults. */
extern uint64_t simc_handled;

/* For `since` of simc_wait: read it before checking the condition that is waited for. */
uint64_t simc_posts(void);

/* Wait until that time, or until one of the events has happened since `since`. */
ach_status_t simc_wait(int64_t until, const sim_event_t *events, unsigned n, uint64_t since,
                       bool *timed);

/*
 * Let other sinks run that are not ahead. Unless costs are measured it takes SIMC_YIELD_NS: a loop
 * that yields until another sink acts would otherwise never advance time.
 */
#define SIMC_YIELD_NS 1000
void simc_yield(void);

/* Declared costs: a wait is over, and a new cycle begins. */
void simc_cycle(void);

/* Was this cycle's cost charged? To restore after a wait that began no new cycle. */
bool simc_spent(void);
void simc_set_spent(bool spent);

/*
 * A new thread sends HELLO. told is called when the note is sent, before its go comes.
 * parent: the tid of the creating thread, 0: unknown.
 */
ach_status_t simc_hello(uint32_t parent, void (*told)(void *cx), void *cx);

/*
 * The thread ends, and posts the event unless it is SIM_EVENT_POLL. Does not wait for a go: the
 * thread that waited for the event may be joining this one.
 */
void simc_bye(sim_event_t event);

/* The process ends, with all its threads. A destructor: runs at exit by itself. */
void simc_exit(void);

/* Send REFUSED to the coordinator, and end as simc_exit does. */
void simc_refused(void);

/* The thread has left the client by longjmp: reset its state. */
void simc_jump(void);

int32_t simc_tid(void);
int32_t simc_pid(void);

#endif
