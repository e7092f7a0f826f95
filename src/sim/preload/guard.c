/* SPDX-License-Identifier: BSD-3-Clause */
/* guard.c - the program's signal actions and masks leave those of the simulation alone */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "counter.h"
#include "dispatch.h"
#include "pending.h"
#include "trap.h"

static const sigset_t *without_traps(const sigset_t *set, sigset_t *copy)
{
    if (!set || !achi_sim_active())
        return set;
    *copy = *set;
    sigdelset(copy, SIGSYS);
    return copy;
}

/* What the program wants to be done with SIGSYS: the handler of traps does it. */
static struct sigaction of_program = {.sa_handler = SIG_DFL};

static int trap_action(const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before = of_program;

    if (action)
        of_program = *action;
    if (old)
        *old = before;
    return 0;
}

bool achi_trap_other(int signo, siginfo_t *info, void *context)
{
    struct sigaction a = of_program;

    if (a.sa_flags & (int)SA_RESETHAND)
        of_program.sa_handler = SIG_DFL;
    if (a.sa_flags & SA_SIGINFO)
        a.sa_sigaction(signo, info, context);
    else if (a.sa_handler == SIG_DFL)
        return false;
    else if (a.sa_handler != SIG_IGN)
        a.sa_handler(signo);
    return true;
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
    if (REAL(sigaction)(signo, action ? &copy : NULL, old) != 0)
        return -1;
    if (action)
        achi_signal_changed(signo);
    return 0;
}

EXPORT sighandler_t signal(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if (!achi_sim_active() || (signo != SIGSYS && signo != SIGSEGV)) {
        handler = REAL(signal)(signo, handler); /* which knows what siginterrupt has said */
        if (achi_sim_active())
            achi_signal_changed(signo);
        return handler;
    }
    sigemptyset(&action.sa_mask);
    return sigaction(signo, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The handler is called once, and the signal is not blocked meanwhile. */
EXPORT sighandler_t __sysv_signal(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)},
                     old;

    sigemptyset(&action.sa_mask);
    return sigaction(signo, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

EXPORT sighandler_t sigset(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler}, old;
    sigset_t set, before;

    sigemptyset(&action.sa_mask);
    sigemptyset(&set);
    if (sigaddset(&set, signo) != 0 ||
        sigaction(signo, handler == SIG_HOLD ? NULL : &action, &old) != 0 ||
        sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &before) != 0)
        return SIG_ERR;
    return sigismember(&before, signo) == 1 ? SIG_HOLD : old.sa_handler;
}

EXPORT int sigignore(int signo)
{
    const struct sigaction action = {.sa_handler = SIG_IGN};

    return sigaction(signo, &action, NULL);
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
