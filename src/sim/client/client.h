/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * client.h - a thread as a time sink
 *
 * Each thread that calls one of these is a sink of the simulation, from its first call
 * until it ends. What these functions and the calls beneath them cost is not charged.
 *
 * A thread that is inside one of them may be interrupted by a signal handler that calls
 * them again: to the handler time stands still, and nothing is said to the coordinator.
 *
 * When the simulation is over they return ACH_CLOSED, unless achi_sim_over is set: then
 * that is called, and should not return.
 */
#ifndef ACHI_SIM_CLIENT_H
#define ACHI_SIM_CLIENT_H

#include <ach/status.h>
#include <stdbool.h>
#include <stdint.h>

#include "event.h"

extern void (*achi_sim_over)(void);

/* Called, if somebody defines it, before the first thing that a process of a simulation does. */
__attribute__((weak)) void achi_sim_early(void);

/* Is this process part of a simulation? The first call finds out. */
bool achi_sim_active(void);

/* May this thread talk to the coordinator? Not inside itself, and not when it has ended. */
bool achi_sim_free(void);

/*
 * Not to be interrupted by a handler that does the same: in between, the thread counts as
 * being inside, and to itself too its time stands still.
 */
void achi_sim_hold(void);
void achi_sim_release(void);

/*
 * Around what must not be stopped in between, as a call that takes the lock of a channel: others
 * would wait for this thread's next turn. May be nested. Costs no system call.
 */
void achi_sim_critical(void);
void achi_sim_uncritical(void);

/* What CLOCK_REALTIME said when virtual time began, in nanoseconds. */
int64_t achi_sim_epoch(void);

/* The calling thread's virtual time. Never goes back. */
int64_t achi_sim_now(void);

/* Its time has come to touch the world: nobody who is further behind still will. */
ach_status_t achi_sim_act(void);

/* Declared costs: what is about to be put was computed in this cycle. */
void achi_sim_charge(void);

/* Something happened to the event. */
ach_status_t achi_sim_post(achi_event_t event);

/* From a signal handler: should the thread be waiting, it looks again. */
void achi_sim_nudge(void);

/* If set: asked now and then while a thread waits. True: its wait ends early, as with a nudge. */
extern bool (*achi_sim_disturbed)(void);

/* Signals for which the program has a handler, as bits of the kernel's set; without faults. */
extern uint64_t achi_sim_handled;

/* To be read before looking at what is then waited for. */
uint64_t achi_sim_posts(void);

/* Until that time, or until something has happened to one of the events since then. */
ach_status_t achi_sim_wait(int64_t until, const achi_event_t *events, unsigned n, uint64_t since,
                           bool *timed);

/*
 * Let others go on that are not ahead. Where CPU time is not charged it takes ACHI_YIELD_NS, since
 * a loop of it, in which nothing else moves time, waits for others.
 */
#define ACHI_YIELD_NS 1000
void achi_sim_yield(void);

/* Declared costs: what the thread waited for has come; a new cycle begins. */
void achi_sim_cycle(void);

/* Was this cycle's cost charged? For one who finds that no new cycle has begun. */
bool achi_sim_spent(void);
void achi_sim_set_spent(bool spent);

/*
 * A new thread says hello: told is called when the coordinator knows of it, before it
 * lets it begin. parent: the tid of who started it, 0: unknown.
 */
ach_status_t achi_sim_hello(uint32_t parent, void (*told)(void *cx), void *cx);

/*
 * The thread ends, and something happens to the event, unless that is ACHI_EVENT_POLL. Waits
 * for no go after that: who was waiting for the event waits for the thread now.
 */
void achi_sim_bye(achi_event_t event);

/* The process ends, with all its threads. Runs by itself at exit. */
void achi_sim_exit(void);

/* Tell the coordinator that this process was refused a call, and say bye. */
void achi_sim_refused(void);

/* The thread has left whatever it was inside of, by a jump. */
void achi_sim_jump(void);

/* The calling thread's id. */
int32_t achi_sim_tid(void);
int32_t achi_sim_pid(void);

#endif
