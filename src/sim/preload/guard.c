/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c - the program's signal actions and masks leave those of the simulation alone */
#include <errno.h>
#include <signal.h>

#include "counter.h"
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
