/* SPDX-License-Identifier: BSD-3-Clause */
#include "pending.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define QUEUE_MAX 64
#define KERNEL_SIGSET 8 /* bytes of a set of signals */

struct pending {
    siginfo_t info;
    pid_t tid;
};

static struct pending queue[QUEUE_MAX];
static unsigned queued;
static char lock;

void achi_signal_mask(int how, const sigset_t *set, sigset_t *old)
{
    if (old)
        memset(old, 0, sizeof(*old));
    achi_raw5(SYS_rt_sigprocmask, how, set, old, KERNEL_SIGSET, 0);
}

void achi_signal_fill(sigset_t *set)
{
    static const int faults[] = {SIGSYS, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    size_t i;

    sigfillset(set);
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(set, faults[i]);
}

void achi_guard_enter(struct achi_guard *g, char *word)
{
    sigset_t all;

    achi_signal_fill(&all);
    achi_signal_mask(SIG_SETMASK, &all, &g->mask);
    achi_guard();
    while (__atomic_test_and_set(word, __ATOMIC_ACQUIRE))
        sched_yield();
}

void achi_guard_leave(const struct achi_guard *g, char *word)
{
    __atomic_clear(word, __ATOMIC_RELEASE);
    achi_unguard();
    achi_signal_mask(SIG_SETMASK, &g->mask, NULL);
}

achi_event_t achi_signal_event(void)
{
    return achi_local_event(queue);
}

void achi_signals_forget(void)
{
    queued = 0;
    lock = 0;
}

static bool same(const siginfo_t *a, const siginfo_t *b)
{
    return a->si_signo == b->si_signo && a->si_code == b->si_code && a->si_timerid == b->si_timerid;
}

bool achi_signal_push(const siginfo_t *info, pid_t tid)
{
    struct achi_guard g;
    unsigned i;
    bool room;

    achi_guard_enter(&g, &lock);
    for (i = 0; i < queued && !same(&queue[i].info, info); i++)
        ;
    room = i == queued && queued < QUEUE_MAX;
    if (room)
        queue[queued] = (struct pending){*info, tid};
    __atomic_store_n(&queued, queued + room, __ATOMIC_SEQ_CST);
    achi_guard_leave(&g, &lock);
    return room;
}

static bool wanted(const struct pending *p, const sigset_t *set, pid_t tid)
{
    return sigismember(set, p->info.si_signo) == 1 && (!p->tid || p->tid == tid);
}

/* The first one of the set that is for this thread. */
static bool take(const sigset_t *set, struct pending *out)
{
    pid_t tid = achi_sim_tid();
    struct achi_guard g;
    unsigned i;
    bool found;

    achi_guard_enter(&g, &lock);
    for (i = 0; i < queued && !wanted(&queue[i], set, tid); i++)
        ;
    found = i < queued;
    if (found) {
        *out = queue[i];
        memmove(&queue[i], &queue[i + 1], (queued - i - 1) * sizeof(queue[0]));
        __atomic_store_n(&queued, queued - 1, __ATOMIC_SEQ_CST);
    }
    achi_guard_leave(&g, &lock);
    return found;
}

static bool any(void)
{
    return __builtin_expect(__atomic_load_n(&queued, __ATOMIC_SEQ_CST) != 0, 0);
}

bool achi_signal_take(const sigset_t *set, siginfo_t *info)
{
    struct pending p;

    if (!any() || !take(set, &p))
        return false;
    *info = p.info;
    return true;
}

bool achi_signal_handled(int signo, bool *restarts)
{
    struct sigaction action;

    if (REAL(sigaction)(signo, NULL, &action) != 0)
        return false;
    *restarts = action.sa_flags & SA_RESTART;
    return action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL;
}

static bool ends_wait(int signo, enum achi_restart how)
{
    bool restarts;

    return achi_signal_handled(signo, &restarts) &&
           (how == ACHI_ENDS || (how == ACHI_RESTARTS && !restarts));
}

/* The kernel runs the handler before the call returns: the thread does not block the signal. */
bool achi_signals_deliver(enum achi_restart how)
{
    struct pending p;
    sigset_t open;
    bool ends = false;
    int signo, saved = errno;

    if (!any())
        return false;
    achi_signal_mask(SIG_SETMASK, NULL, &open);
    for (signo = 1; signo < NSIG; signo++)
        if (sigismember(&open, signo) == 1)
            sigdelset(&open, signo);
        else
            sigaddset(&open, signo);
    while (take(&open, &p)) {
        ends |= ends_wait(p.info.si_signo, how);
        achi_raw5(SYS_rt_tgsigqueueinfo, achi_sim_pid(), achi_sim_tid(), p.info.si_signo, &p.info,
                  0);
    }
    errno = saved;
    return ends;
}

bool achi_signals_flush(void)
{
    struct achi_guard g;
    struct pending *p;
    bool some = false;

    achi_guard_enter(&g, &lock);
    for (p = queue; p < queue + queued; p++) {
        some = true;
        if (p->info.si_code >= 0) /* what only the kernel may say to another thread */
            p->info.si_code = SI_TIMER;
        if (p->tid)
            achi_raw5(SYS_rt_tgsigqueueinfo, achi_sim_pid(), p->tid, p->info.si_signo, &p->info, 0);
        else
            achi_raw5(SYS_rt_sigqueueinfo, achi_sim_pid(), p->info.si_signo, &p->info, 0, 0);
    }
    __atomic_store_n(&queued, 0, __ATOMIC_SEQ_CST);
    achi_guard_leave(&g, &lock);
    return some;
}
