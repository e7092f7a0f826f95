/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overrun.h - expirations of timers while their signal is pending
 *
 * A timer has at most one pending signal. Expirations until it is delivered or accepted are its
 * overrun. The count is not known earlier, so si_overrun is written then.
 *
 * The kernel drops a signal below SIGRTMIN that is sent while the same signal is pending, but not
 * that of a timer. Here such a signal is held until the pending one is delivered.
 */
#ifndef SIMP_PRELOAD_OVERRUN_H
#define SIMP_PRELOAD_OVERRUN_H

#include <signal.h>

#include "preload.h"

#define SIMP_ALARMS_MAX 256
#define SIMP_ALARM_IDS 0x40000000 /* id of timer 0; the kernel's ids count from 0 */

/* A new timer sends the signal; or the timer is set anew. */
void simp_overrun_create(unsigned timer, int signo);
void simp_overrun_clear(unsigned timer);

/* The timer has expired n times. True: send its signal, since none is pending. */
bool simp_overrun_expire(unsigned timer, int signo, pid_t tid, uint64_t n);

/* Call before passing a signal to the kernel, for a thread or (tid 0) the process. True: held. */
bool simp_overrun_hold(const siginfo_t *info, pid_t tid);

/* A signal was delivered or accepted: sets si_overrun. Safe in a signal handler. */
void simp_overrun_accept(siginfo_t *info);

/* As simp_overrun_accept, for what was read from a descriptor: it may be a signalfd. */
void simp_overrun_accept_read(int fd, void *buf, size_t size);

/* The overrun of the signal that was delivered or accepted last. */
int simp_overrun_last(unsigned timer);

/* Does a timer send this signal? */
bool simp_overrun_signal(int signo);

/* Reset in a child of fork: timers are not inherited. */
void simp_overruns_forget(void);

#endif
