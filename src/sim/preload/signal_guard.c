/* SPDX-License-Identifier: BSD-3-Clause */
/* signal_guard.c - the program's signal actions and masks cannot change the simulation's */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "counter.h"
#include "dispatch.h"
#include "overrun.h"
#include "pending.h"
#include "trap.h"

static const sigset_t *without_traps(const sigset_t *set, sigset_t *copy)
{
    if (!set || !simc_active())
        return set;
    *copy = *set;
    sigdelset(copy, SIGSYS);
    return copy;
}

/* The program's action for SIGSYS; the handler of traps executes it (simp_trap_other). */
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

bool simp_trap_other(int signo, siginfo_t *info, void *context)
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

/* The program's handlers of signals that timers send. */
static struct sigaction wrapped[NSIG];

static void run_wrapped(int signo, siginfo_t *info, void *context)
{
    const struct sigaction *a = &wrapped[signo];
    int saved = errno;

    simp_overrun_accept(info);
    errno = saved;
    if (a->sa_flags & SA_SIGINFO)
        a->sa_sigaction(signo, info, context);
    else
        a->sa_handler(signo);
}

static void wrap(int signo, struct sigaction *action)
{
    if (action->sa_handler == SIG_DFL || action->sa_handler == SIG_IGN ||
        action->sa_sigaction == run_wrapped || !simp_overrun_signal(signo))
        return;
    wrapped[signo] = *action;
    action->sa_sigaction = run_wrapped;
    action->sa_flags |= SA_SIGINFO;
}

/* before: the action that was wrapped at the time. */
static void unwrap(struct sigaction *action, const struct sigaction *before)
{
    if (action->sa_sigaction != run_wrapped)
        return;
    action->sa_sigaction = before->sa_sigaction;
    if (!(before->sa_flags & SA_SIGINFO))
        action->sa_flags &= ~SA_SIGINFO;
}

EXPORT int sigaction(int signo, const struct sigaction *restrict action,
                     struct sigaction *restrict old)
{
    struct sigaction copy, before;

    if (!simc_active() || signo < 1 || signo >= NSIG)
        return REAL(sigaction)(signo, action, old);
    if (signo == SIGSYS)
        return trap_action(action, old);
    if (signo == SIGSEGV)
        return simp_counter_action(action, old);
    if (action) {
        copy = *action;
        sigdelset(&copy.sa_mask, SIGSYS);
    }
    before = wrapped[signo];
    if (action)
        wrap(signo, &copy);
    if (REAL(sigaction)(signo, action ? &copy : NULL, old) != 0)
        return -1;
    if (old)
        unwrap(old, &before);
    if (action)
        simp_signal_changed(signo);
    return 0;
}

/* The C library's function honours an earlier siginterrupt. Its handler is wrapped afterwards. */
static sighandler_t set_signal(int signo, sighandler_t handler)
{
    struct sigaction old = {0}, set;

    if (sigaction(signo, NULL, &old) != 0 || REAL(signal)(signo, handler) == SIG_ERR)
        return SIG_ERR;
    if (simp_overrun_signal(signo) && REAL(sigaction)(signo, NULL, &set) == 0)
        sigaction(signo, &set, NULL);
    else
        simp_signal_changed(signo);
    return old.sa_handler;
}

EXPORT sighandler_t signal(int signo, sighandler_t handler)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old;

    if (!simc_active())
        return REAL(signal)(signo, handler);
    if (signo != SIGSYS && signo != SIGSEGV)
        return set_signal(signo, handler);
    sigemptyset(&action.sa_mask);
    return sigaction(signo, &action, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* The handler is called once, and the signal is not blocked while it runs. */
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

/* The kernel's struct sigaction; the same on all supported machines. */
struct kernel_action {
    void (*handler)(int);
    unsigned long flags;
    void (*restorer)(void);
    char mask[KERNEL_SIGSET];
};

/* Signals that the C library reserves for itself. */
static bool is_internal(long signo)
{
    return signo >= 32 && signo < SIGRTMIN;
}

long simp_sigaction_number(const long a[6])
{
    const struct kernel_action *k = (const struct kernel_action *)a[1];
    struct kernel_action *k_old = (struct kernel_action *)a[2];
    struct sigaction action = {0}, old;

    if (is_internal(a[0]) || a[3] != KERNEL_SIGSET)
        return simc_raw5(SYS_rt_sigaction, a[0], a[1], a[2], a[3], 0);
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
