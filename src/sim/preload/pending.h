/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pending.h - signals on their way to a thread
 *
 * A thread that waits must run its handler at the time of the signal, not in the midst of its
 * talk with the coordinator. So a signal of a virtual timer, or of another thread of the process,
 * is queued here and its event is posted. Threads that wait wake up and take from the queue the
 * signals that they do not block. A nanosecond later the sender gives the rest to the kernel.
 *
 * Signals of other processes are the kernel's from the start. While a thread waits, those that
 * have a handler are blocked; the same event wakes it.
 */
#ifndef ACHI_PRELOAD_PENDING_H
#define ACHI_PRELOAD_PENDING_H

#include <signal.h>

#include "preload.h"

/* Happens when a signal is queued, or given to the kernel. */
achi_event_t achi_signal_event(void);

/* Queue a signal for a thread, 0: any. */
enum achi_pushed { ACHI_PUSHED, ACHI_PUSHED_BEFORE, ACHI_PUSH_FULL };
enum achi_pushed achi_signal_push(const siginfo_t *info, pid_t tid);

/* Take a signal of the set. */
bool achi_signal_take(const sigset_t *set, siginfo_t *info);

/* Send it to this thread: its handler runs as soon as the thread does not block it. */
void achi_signal_give_back(const siginfo_t *info);

/* When the library begins. */
void achi_signals_begin(void);

/* The action of a signal may have changed. */
void achi_signal_changed(int signo);

/* Block the signals that have a handler. False: there are none, and mask is not set. */
bool achi_signals_block(sigset_t *mask);

/* The thread will not return from its wait. */
void achi_signals_unblock(void);

/*
 * Run the handlers that are due in this thread, which waits no longer. mask: the thread's, if
 * achi_signals_block has changed it, or NULL. True: the wait ends with EINTR.
 */
bool achi_signals_deliver(enum achi_restart how, const sigset_t *mask);

/* After achi_signal_push: let threads that wait take it, and give the rest to the kernel. */
void achi_signals_settle(void);

/* In a child of fork there are none. */
void achi_signals_forget(void);

/* Does the action of a signal run a handler? *restarts: with SA_RESTART. */
bool achi_signal_handled(int signo, bool *restarts);

/* The signal mask of the calling thread, and how it is changed: without the C library. */
void achi_signal_mask(int how, const sigset_t *set, sigset_t *old);

/* All signals but those of faults. */
void achi_signal_fill(sigset_t *set);

/* A lock that a signal handler of the thread that has it may not ask for. */
struct achi_guard {
    sigset_t mask;
};
void achi_guard_enter(struct achi_guard *g, char *lock);
void achi_guard_leave(const struct achi_guard *g, char *lock);

#endif
