/* SPDX-License-Identifier: BSD-3-Clause */
#include "pending.h"

#include <errno.h>
#include <string.h>

#include "overrun.h"

#define QUEUE_MAX 64
#define KERNEL_SIGSET 8 /* bytes of a set of signals */

struct pending {
    siginfo_t info;
    pid_t tid;
};

/* Signals that the thread blocks only while it waits, as bits. */
static __thread uint64_t blocked __attribute__((tls_model("initial-exec")));

static struct pending queue[QUEUE_MAX];
static unsigned queued;
static char lock;

void simp_signal_mask(int how, const sigset_t *set, sigset_t *old)
{
    if (old)
        memset(old, 0, sizeof(*old));
    simc_raw5(SYS_rt_sigprocmask, how, set, old, KERNEL_SIGSET, 0);
}

void simp_signal_fill(sigset_t *set)
{
    static const int faults[] = {SIGSYS, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP};
    size_t i;

    sigfillset(set);
    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        sigdelset(set, faults[i]);
}

void simp_guard_enter(struct simp_guard *g, char *word)
{
    sigset_t all;

    simp_signal_fill(&all);
    simp_signal_mask(SIG_SETMASK, &all, &g->mask);
    simp_guard();
    while (__atomic_test_and_set(word, __ATOMIC_ACQUIRE))
        simc_raw3(SYS_sched_yield, 0, 0, 0);
}

void simp_guard_leave(const struct simp_guard *g, char *word)
{
    __atomic_clear(word, __ATOMIC_RELEASE);
    simp_unguard();
    simp_signal_mask(SIG_SETMASK, &g->mask, NULL);
}

sim_event_t simp_signal_event(void)
{
    return simc_event_signal(simc_pid());
}

void simp_signals_forget(void)
{
    blocked = 0;
    queued = 0;
    lock = 0;
}

/* Is b a repetition of a? Timers count these; other real-time signals are queued each time. */
static bool same(const siginfo_t *a, const siginfo_t *b)
{
    if (a->si_signo >= SIGRTMIN && a->si_code != SI_TIMER)
        return false;
    return a->si_signo == b->si_signo && a->si_code == b->si_code && a->si_timerid == b->si_timerid;
}

enum simp_pushed simp_signal_push(const siginfo_t *info, pid_t tid)
{
    enum simp_pushed result = SIMP_PUSHED;
    struct simp_guard g;
    unsigned i;

    simp_guard_enter(&g, &lock);
    for (i = 0; i < queued && !(queue[i].tid == tid && same(&queue[i].info, info)); i++)
        ;
    if (i < queued)
        result = SIMP_PUSHED_BEFORE;
    else if (queued == QUEUE_MAX)
        result = SIMP_PUSH_FULL;
    else
        queue[queued] = (struct pending){*info, tid};
    __atomic_store_n(&queued, queued + (result == SIMP_PUSHED), __ATOMIC_SEQ_CST);
    simp_guard_leave(&g, &lock);
    return result;
}

static bool wanted(const struct pending *p, const sigset_t *set, pid_t tid)
{
    return sigismember(set, p->info.si_signo) == 1 && (!p->tid || p->tid == tid);
}

/* Dequeue the first signal of the set that is for this thread. */
static bool take(const sigset_t *set, struct pending *out)
{
    pid_t tid = simc_tid();
    struct simp_guard g;
    unsigned i;
    bool found;

    simp_guard_enter(&g, &lock);
    for (i = 0; i < queued && !wanted(&queue[i], set, tid); i++)
        ;
    found = i < queued;
    if (found) {
        *out = queue[i];
        memmove(&queue[i], &queue[i + 1], (queued - i - 1) * sizeof(queue[0]));
        __atomic_store_n(&queued, queued - 1, __ATOMIC_SEQ_CST);
    }
    simp_guard_leave(&g, &lock);
    return found;
}

static bool any(void)
{
    return __builtin_expect(__atomic_load_n(&queued, __ATOMIC_SEQ_CST) != 0, 0);
}

bool simp_signal_take(const sigset_t *set, siginfo_t *info)
{
    struct pending p;

    if (!any() || !take(set, &p))
        return false;
    *info = p.info;
    return true;
}

bool simp_signal_handled(int signo, bool *restarts)
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

void simp_signal_changed(int signo)
{
    bool restarts;
    sigset_t all;

    simp_signal_fill(&all);
    if (sigismember(&all, signo) != 1)
        return;
    if (simp_signal_handled(signo, &restarts)) {
        if (!(__atomic_fetch_or(&simc_handled, bit(signo), __ATOMIC_SEQ_CST) & bit(signo)))
            simp_local_post(simp_signal_event()); /* waiting threads must block it, too */
    } else {
        __atomic_fetch_and(&simc_handled, ~bit(signo), __ATOMIC_SEQ_CST);
    }
}

/* Convert the kernel's bits to a set of the C library. */
static void pending_set_of(uint64_t bits, sigset_t *set)
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

bool simp_signals_block(sigset_t *mask)
{
    uint64_t bits = __atomic_load_n(&simc_handled, __ATOMIC_RELAXED);
    sigset_t set;

    if (__builtin_expect(!bits, 1))
        return false;
    pending_set_of(bits, &set);
    simp_signal_mask(SIG_BLOCK, &set, mask);
    blocked = bits & ~bits_of(mask);
    return true;
}

void simp_signals_unblock(void)
{
    sigset_t set;

    pending_set_of(blocked, &set);
    blocked = 0;
    simp_signal_mask(SIG_UNBLOCK, &set, NULL);
}

/* Is a signal from outside the simulation pending? No event is posted for those. */
static bool disturbed(void)
{
    uint64_t pending = 0;

    return blocked && simc_raw3(SYS_rt_sigpending, &pending, KERNEL_SIGSET, 0) == 0 &&
           (pending & blocked);
}

void simp_signals_begin(void)
{
    achi_sim_disturbed = disturbed;
}

static bool ends_wait(int signo, enum simp_restart how)
{
    bool restarts;

    return simp_signal_handled(signo, &restarts) &&
           (how == SIMP_ENDS || (how == SIMP_RESTARTS && !restarts));
}

void simp_signal_give_back(const siginfo_t *info)
{
    if (!simp_overrun_hold(info, simc_tid()))
        simc_raw5(SYS_rt_tgsigqueueinfo, simc_pid(), simc_tid(), info->si_signo, info, 0);
}

/* Redirect the kernel's signals that were blocked during the wait to this thread. */
static bool take_blocked(enum simp_restart how)
{
    static const struct timespec at_once;
    uint64_t bits = blocked;
    bool ends = false;
    siginfo_t info;
    sigset_t set;
    long signo;

    for (;;) {
        pending_set_of(bits, &set);
        signo = simc_raw5(SYS_rt_sigtimedwait, &set, &info, &at_once, KERNEL_SIGSET, 0);
        if (signo <= 0)
            return ends;
        ends |= ends_wait((int)signo, how);
        simp_signal_give_back(&info);
        bits &= ~bit((int)signo);
    }
}

bool simp_signals_deliver(enum simp_restart how, const sigset_t *mask)
{
    struct pending p;
    sigset_t current, open;
    bool ends = false;
    int saved = errno;

    if (!mask && !any())
        return false;
    simp_signal_mask(SIG_SETMASK, NULL, &current);
    pending_set_of(~bits_of(mask ? mask : &current), &open);
    if (mask)
        ends = take_blocked(how);
    while (any() && take(&open, &p)) {
        ends |= ends_wait(p.info.si_signo, how);
        simp_signal_give_back(&p.info);
    }
    if (mask) {
        blocked = 0;
        simp_signal_mask(SIG_SETMASK, mask, NULL);
    }
    errno = saved;
    return ends;
}

/* Only the kernel may set SI_USER and SI_TKILL for another thread: repeat the original call. */
void simp_signal_pass(const siginfo_t *given, pid_t tid)
{
    siginfo_t info = *given;
    pid_t pid = simc_pid();

    if (info.si_code == SI_USER || info.si_code == SI_TKILL) {
        if (tid)
            simc_raw3(SYS_tgkill, pid, tid, info.si_signo);
        else
            simc_raw3(SYS_kill, pid, info.si_signo, 0);
        return;
    }
    if (info.si_code >= 0)
        info.si_code = SI_TIMER;
    if (simp_overrun_hold(&info, tid))
        return;
    if (tid)
        simc_raw5(SYS_rt_tgsigqueueinfo, pid, tid, info.si_signo, &info, 0);
    else
        simc_raw5(SYS_rt_sigqueueinfo, pid, info.si_signo, &info, 0, 0);
}

static bool flush(void)
{
    struct simp_guard g;
    struct pending *p;
    bool some;

    simp_guard_enter(&g, &lock);
    some = queued != 0;
    for (p = queue; p < queue + queued; p++)
        simp_signal_pass(&p->info, p->tid);
    __atomic_store_n(&queued, 0, __ATOMIC_SEQ_CST);
    simp_guard_leave(&g, &lock);
    return some;
}

void simp_signals_settle(void)
{
    const sim_event_t event = simp_signal_event();
    bool timed;

    if (simp_local_awaited(event)) {
        simp_local_post(event);
        simc_wait(simc_now() + 1, NULL, 0, simc_posts(), &timed);
    }
    if (flush())
        simp_local_post(event);
}
