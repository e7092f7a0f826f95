/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c - the program's signal actions and masks leave those of the simulation alone */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "counter.h"
#include "dispatch.h"
#include "preload.h"
#include "refuse.h"

static const sigset_t *without_traps(const sigset_t *set, sigset_t *copy)
{
    if (!set || !achi_sim_active())
        return set;
    *copy = *set;
    sigdelset(copy, SIGSYS);
    return copy;
}

/* To the program the signal has its usual action. Many set that for all signals. */
static int trap_action(const struct sigaction *action, struct sigaction *old)
{
    if (action && action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN)
        achi_refuse("sigaction of SIGSYS", "the simulation needs that signal; use another");
    if (old)
        *old = (struct sigaction){.sa_handler = SIG_DFL};
    return 0;
}

EXPORT int sigaction(int signo, const struct sigaction *restrict action,
                     struct sigaction *restrict old)
{
    struct sigaction copy;

    if (!achi_sim_active())
        return REAL(sigaction)(signo, action, old);
    if (signo == SIGSYS)
        return trap_action(action, old);
    if (signo == SIGSEGV)
        return achi_counter_action(action, old);
    if (action) {
        copy = *action;
        sigdelset(&copy.sa_mask, SIGSYS);
    }
    return REAL(sigaction)(signo, action ? &copy : NULL, old);
}

EXPORT sighandler_t signal(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if (!achi_sim_active() || (signo != SIGSYS && signo != SIGSEGV))
        return REAL(signal)(signo, handler);
    sigemptyset(&action.sa_mask);
    return sigaction(signo, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;

    return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_traps(set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t copy;

    return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_traps(set, &copy), old);
}

#define KERNEL_SIGSET 8
#define KERNEL_RESTORER 0x04000000ul

/* An action as the kernel has it, on all machines. */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    char mask[KERNEL_SIGSET];
};

/* Signals that the C library keeps for itself. */
static bool is_internal(long signo)
{
    return signo >= 32 && signo < SIGRTMIN;
}

long achi_sigaction_number(const long a[6])
{
    const struct kernel_action *k = (const struct kernel_action *)a[1];
    struct kernel_action *k_old = (struct kernel_action *)a[2];
    struct sigaction action = {0}, old;

    if (is_internal(a[0]) || a[3] != KERNEL_SIGSET)
        return achi_raw5(SYS_rt_sigaction, a[0], a[1], a[2], a[3], 0);
    if (k) {
        action.sa_handler = k->handler;
        action.sa_flags = (int)(k->flags & ~KERNEL_RESTORER);
        memcpy(&action.sa_mask, k->mask, KERNEL_SIGSET);
    }
    if (sigaction((int)a[0], k ? &action : NULL, &old) != 0)
        return -errno;
    if (k_old) {
        *k_old = (struct kernel_action){.handler = old.sa_handler,
                                        .flags = (unsigned)old.sa_flags & ~KERNEL_RESTORER};
        memcpy(k_old->mask, &old.sa_mask, KERNEL_SIGSET);
    }
    return 0;
}
