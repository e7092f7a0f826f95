/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pending.h - signals that are queued for a thread
 *
 * A waiting thread must run its handler at the virtual time of the signal, and not while it
 * exchanges messages with the coordinator. So a signal from a virtual timer, or from another thread
 * of the process, is queued here and its event is posted. Waiting threads wake up and dequeue the
 * signals that they do not block. A nanosecond later the sender passes the rest to the kernel.
 *
 * Signals from other processes go through the kernel only. While a thread waits, signals that
 * have a handler are blocked; the same event wakes the thread.
 */
#ifndef SIMP_PRELOAD_PENDING_H
#define SIMP_PRELOAD_PENDING_H

#include <signal.h>

#include "preload.h"

/* Posted when a signal is queued here or passed to the kernel. */
sim_event_t simp_signal_event(void);

/* Queue a signal for a thread. tid 0: any thread. */
enum simp_pushed { SIMP_PUSHED, SIMP_PUSHED_BEFORE, SIMP_PUSH_FULL };
enum simp_pushed simp_signal_push(const siginfo_t *info, pid_t tid);

/* Dequeue a signal of the set. */
bool simp_signal_take(const sigset_t *set, siginfo_t *info);

/* Send the signal to this thread: its handler runs as soon as the thread does not block it. */
void simp_signal_give_back(const siginfo_t *info);

/* Send the signal to a thread, or with tid 0 to the process, through the kernel. */
void simp_signal_pass(const siginfo_t *info, pid_t tid);

/* Called once, when the library is loaded. */
void simp_signals_begin(void);

/* Call after sigaction: the program may have installed or removed a handler. */
void simp_signal_changed(int signo);

/* Block the signals that have a handler. False: there are none, and mask is not set. */
bool simp_signals_block(sigset_t *mask);

/* Undo simp_signals_block in a thread that will not return from its wait. */
void simp_signals_unblock(void);

/*
 * Run the handlers that are due in this thread, after its wait. mask: the mask that
 * simp_signals_block saved, NULL if it returned false. True: the wait ends with EINTR.
 */
bool simp_signals_deliver(enum simp_restart how, const sigset_t *mask);

/* After simp_signal_push: wake waiting threads, then pass the signals left to the kernel. */
void simp_signals_settle(void);

/* Reset in a child of fork: pending signals are not inherited. */
void simp_signals_forget(void);

/* Does the signal have a handler? *restarts: it was installed with SA_RESTART. */
bool simp_signal_handled(int signo, bool *restarts);

/* sigprocmask(2) of the calling thread, without the C library. */
void simp_signal_mask(int how, const sigset_t *set, sigset_t *old);

/* All signals except those of faults. */
void simp_signal_fill(sigset_t *set);

/* A spin lock that blocks signals while it is held, so that no handler of its owner can take it. */
struct simp_guard {
    sigset_t mask;
};
void simp_guard_enter(struct simp_guard *g, char *lock);
void simp_guard_leave(const struct simp_guard *g, char *lock);

#endif
