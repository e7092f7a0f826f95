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

/* Those that the thread blocks only while it waits. */
static __thread uint64_t blocked __attribute__((tls_model("initial-exec")));

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
    return achi_event_signal(achi_sim_pid());
}

void achi_signals_forget(void)
{
    blocked = 0;
    queued = 0;
    lock = 0;
}

/* Timers count what they send beside a signal that is queued; others queue the real-time ones. */
static bool same(const siginfo_t *a, const siginfo_t *b)
{
    if (a->si_signo >= SIGRTMIN && a->si_code != SI_TIMER)
        return false;
    return a->si_signo == b->si_signo && a->si_code == b->si_code && a->si_timerid == b->si_timerid;
}

enum achi_pushed achi_signal_push(const siginfo_t *info, pid_t tid)
{
    enum achi_pushed result = ACHI_PUSHED;
    struct achi_guard g;
    unsigned i;

    achi_guard_enter(&g, &lock);
    for (i = 0; i < queued && !(queue[i].tid == tid && same(&queue[i].info, info)); i++)
        ;
    if (i < queued)
        result = ACHI_PUSHED_BEFORE;
    else if (queued == QUEUE_MAX)
        result = ACHI_PUSH_FULL;
    else
        queue[queued] = (struct pending){*info, tid};
    __atomic_store_n(&queued, queued + (result == ACHI_PUSHED), __ATOMIC_SEQ_CST);
    achi_guard_leave(&g, &lock);
    return result;
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

static uint64_t bit(int signo)
{
    return 1ull << (signo - 1);
}

void achi_signal_changed(int signo)
{
    bool restarts;
    sigset_t all;

    achi_signal_fill(&all);
    if (sigismember(&all, signo) != 1)
        return;
    if (achi_signal_handled(signo, &restarts)) {
        if (!(__atomic_fetch_or(&achi_sim_handled, bit(signo), __ATOMIC_SEQ_CST) & bit(signo)))
            achi_local_post(achi_signal_event()); /* those that wait have not blocked it */
    } else {
        __atomic_fetch_and(&achi_sim_handled, ~bit(signo), __ATOMIC_SEQ_CST);
    }
}

/* As the kernel has them, in a set of the C library. */
static void set_of(uint64_t bits, sigset_t *set)
{
    memset(set, 0, sizeof(*set));
    memcpy(set, &bits, KERNEL_SIGSET);
}

static uint64_t bits_of(const sigset_t *set)
{
    uint64_t bits;

    memcpy(&bits, set, KERNEL_SIGSET);
    return bits;
}

bool achi_signals_block(sigset_t *mask)
{
    uint64_t bits = __atomic_load_n(&achi_sim_handled, __ATOMIC_RELAXED);
    sigset_t set;

    if (__builtin_expect(!bits, 1))
        return false;
    set_of(bits, &set);
    achi_signal_mask(SIG_BLOCK, &set, mask);
    blocked = bits & ~bits_of(mask);
    return true;
}

void achi_signals_unblock(void)
{
    sigset_t set;

    set_of(blocked, &set);
    blocked = 0;
    achi_signal_mask(SIG_UNBLOCK, &set, NULL);
}

/* A signal from outside the simulation, of which nobody posts an event. */
static bool disturbed(void)
{
    uint64_t pending = 0;

    return blocked && achi_raw3(SYS_rt_sigpending, &pending, KERNEL_SIGSET, 0) == 0 &&
           (pending & blocked);
}

void achi_signals_begin(void)
{
    achi_sim_disturbed = disturbed;
}

static bool ends_wait(int signo, enum achi_restart how)
{
    bool restarts;

    return achi_signal_handled(signo, &restarts) &&
           (how == ACHI_ENDS || (how == ACHI_RESTARTS && !restarts));
}

void achi_signal_give_back(const siginfo_t *info)
{
    achi_raw5(SYS_rt_tgsigqueueinfo, achi_sim_pid(), achi_sim_tid(), info->si_signo, info, 0);
}

/* Signals of the kernel that were blocked while the thread waited: no other thread gets them. */
static bool take_blocked(enum achi_restart how)
{
    static const struct timespec at_once;
    uint64_t bits = blocked;
    bool ends = false;
    siginfo_t info;
    sigset_t set;
    long signo;

    for (;;) {
        set_of(bits, &set);
        signo = achi_raw5(SYS_rt_sigtimedwait, &set, &info, &at_once, KERNEL_SIGSET, 0);
        if (signo <= 0)
            return ends;
        ends |= ends_wait((int)signo, how);
        achi_signal_give_back(&info);
        bits &= ~bit((int)signo);
    }
}

bool achi_signals_deliver(enum achi_restart how, const sigset_t *mask)
{
    struct pending p;
    sigset_t current, open;
    bool ends = false;
    int saved = errno;

    if (!mask && !any())
        return false;
    achi_signal_mask(SIG_SETMASK, NULL, &current);
    set_of(~bits_of(mask ? mask : &current), &open);
    if (mask)
        ends = take_blocked(how);
    while (any() && take(&open, &p)) {
        ends |= ends_wait(p.info.si_signo, how);
        achi_signal_give_back(&p.info);
    }
    if (mask) {
        blocked = 0;
        achi_signal_mask(SIG_SETMASK, mask, NULL);
    }
    errno = saved;
    return ends;
}

/* What only the kernel may say to another thread is sent anew, by the call that says so. */
static void give_to_kernel(struct pending *p)
{
    siginfo_t *info = &p->info;
    pid_t pid = achi_sim_pid();

    if (info->si_code == SI_USER || info->si_code == SI_TKILL) {
        if (p->tid)
            achi_raw3(SYS_tgkill, pid, p->tid, info->si_signo);
        else
            achi_raw3(SYS_kill, pid, info->si_signo, 0);
        return;
    }
    if (info->si_code >= 0)
        info->si_code = SI_TIMER;
    if (p->tid)
        achi_raw5(SYS_rt_tgsigqueueinfo, pid, p->tid, info->si_signo, info, 0);
    else
        achi_raw5(SYS_rt_sigqueueinfo, pid, info->si_signo, info, 0, 0);
}

static bool flush(void)
{
    struct achi_guard g;
    struct pending *p;
    bool some;

    achi_guard_enter(&g, &lock);
    some = queued != 0;
    for (p = queue; p < queue + queued; p++)
        give_to_kernel(p);
    __atomic_store_n(&queued, 0, __ATOMIC_SEQ_CST);
    achi_guard_leave(&g, &lock);
    return some;
}

void achi_signals_settle(void)
{
    const achi_event_t event = achi_signal_event();
    bool timed;

    if (achi_local_awaited(event)) {
        achi_local_post(event);
        achi_sim_wait(achi_sim_now() + 1, NULL, 0, achi_sim_posts(), &timed);
    }
    if (flush())
        achi_local_post(event);
}
