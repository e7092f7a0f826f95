/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * signal.c - waiting for signals
 *
 * Signals of the simulation arrive at their exact virtual time. Signals from outside are polled
 * for after each step of the world.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "overrun.h"
#include "pending.h"

#define KERNEL_SIGSET 8 /* bytes of a set of signals */

struct wait {
    const sigset_t *set;
    siginfo_t *info;
    long r;
};

static bool look_for_signal(void *cx)
{
    static const struct timespec at_once;
    struct wait *w = cx;

    if (simp_signal_take(w->set, w->info))
        w->r = w->info->si_signo;
    else
        w->r = simc_raw5(SYS_rt_sigtimedwait, w->set, w->info, &at_once, KERNEL_SIGSET, 0);
    if (w->r > 0)
        simp_overrun_accept(w->info);
    return w->r != -EAGAIN && w->r != -EINTR;
}

/* The program must block the signals of the set; else a handler would get them. */
static long wait_for(const sigset_t *set, siginfo_t *info, int64_t until)
{
    siginfo_t own;
    struct wait w = {set, info ? info : &own, 0};
    struct simp_events e = {.signals = SIMP_ENDS};

    memset(w.info, 0, sizeof(*w.info));
    simp_events_add(&e, SIM_EVENT_POLL);
    if (simp_block(until, &e, look_for_signal, &w))
        return w.r;
    return e.interrupted ? -EINTR : -EAGAIN;
}

EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict info,
                        const struct timespec *restrict t)
{
    if (!simc_free())
        return REAL(sigtimedwait)(set, info, t);
    if (t && !simp_timespec_valid(t)) {
        errno = EINVAL;
        return -1;
    }
    return (int)simp_result(
        wait_for(set, info, t ? simp_after(simc_now(), simp_ns(t)) : SIM_NEVER));
}

EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict info)
{
    return sigtimedwait(set, info, NULL);
}

EXPORT int sigwait(const sigset_t *restrict set, int *restrict signo)
{
    long r;

    if (!simc_free())
        return REAL(sigwait)(set, signo);
    do
        r = wait_for(set, NULL, SIM_NEVER);
    while (r == -EINTR);
    if (r < 0)
        return (int)-r;
    *signo = (int)r;
    return 0;
}

struct suspend {
    sigset_t all;         /* blocked during the wait */
    const sigset_t *mask; /* the mask that the program passed */
};

/* Does the signal run a handler, or stop or end the process? */
static bool acts(int signo)
{
    bool restarts;
    struct sigaction action;

    if (simp_signal_handled(signo, &restarts))
        return true;
    if (REAL(sigaction)(signo, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return false;
    return signo != SIGCHLD && signo != SIGURG && signo != SIGWINCH && signo != SIGCONT;
}

static bool look_for_handler(void *cx)
{
    struct suspend *s = cx;
    siginfo_t info;
    sigset_t open, pending;
    bool found = false;
    int signo;

    sigemptyset(&open);
    for (signo = 1; signo < NSIG; signo++)
        if (sigismember(s->mask, signo) == 0)
            sigaddset(&open, signo);
    while (simp_signal_take(&open, &info))
        simp_signal_give_back(&info);
    memset(&pending, 0, sizeof(pending));
    simc_raw3(SYS_rt_sigpending, &pending, KERNEL_SIGSET, 0);
    for (signo = 1; signo < NSIG; signo++)
        found |= sigismember(&pending, signo) == 1 && sigismember(&open, signo) == 1 && acts(signo);
    if (found) { /* the handlers run between the two calls */
        simp_signal_mask(SIG_SETMASK, s->mask, NULL);
        simp_signal_mask(SIG_SETMASK, &s->all, NULL);
    }
    return found;
}

static void suspend(const sigset_t *mask)
{
    struct suspend s = {.mask = mask};
    struct simp_events e = {0};
    sigset_t old;

    simp_signal_fill(&s.all);
    simp_signal_mask(SIG_SETMASK, &s.all, &old);
    simp_events_add(&e, SIM_EVENT_POLL);
    simp_block(SIM_NEVER, &e, look_for_handler, &s);
    simp_signal_mask(SIG_SETMASK, &old, NULL);
    errno = EINTR;
}

EXPORT int sigsuspend(const sigset_t *mask)
{
    sigset_t own = *mask;

    if (!simc_free())
        return REAL(sigsuspend)(mask);
    sigdelset(&own, SIGSYS);
    suspend(&own);
    return -1;
}

EXPORT int pause(void)
{
    sigset_t mask;

    if (!simc_free())
        return REAL(pause)();
    simp_signal_mask(SIG_SETMASK, NULL, &mask);
    suspend(&mask);
    return -1;
}

/* argument: a set of the first 32 signals; with is_signal, the number of a signal. */
EXPORT int __sigpause(int argument, int is_signal);

EXPORT int __sigpause(int argument, int is_signal)
{
    sigset_t mask;
    int signo;

    if (!simc_free())
        return REAL(__sigpause)(argument, is_signal);
    simp_signal_mask(SIG_SETMASK, NULL, &mask);
    if (is_signal) {
        sigdelset(&mask, argument);
    } else {
        sigemptyset(&mask);
        for (signo = 1; signo <= 32; signo++)
            if ((unsigned)argument & (1u << (signo - 1)))
                sigaddset(&mask, signo);
    }
    suspend(&mask);
    return -1;
}

EXPORT int __xpg_sigpause(int signo);

EXPORT int __xpg_sigpause(int signo)
{
    return __sigpause(signo, 1);
}

/* The header gives the newer function the older one's name. */
EXPORT int older_sigpause(int mask) __asm__("sigpause");

EXPORT int older_sigpause(int mask)
{
    return __sigpause(mask, 0);
}
