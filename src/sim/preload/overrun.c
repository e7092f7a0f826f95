/* SPDX-License-Identifier: BSD-3-Clause */
#include "overrun.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>

#include "peers.h"

#define KERNEL_SIGSET 8 /* bytes of a set of signals */

struct overrun {
    uint64_t count; /* expirations since the signal was sent, without the first */
    int last;
    bool sent; /* a signal was sent, and is not known to be delivered */
    bool held;
    pid_t held_tid;
    siginfo_t held_info;
};

static struct overrun overruns[SIMP_ALARMS_MAX];
static uint64_t timer_signals; /* as bits */

static uint64_t signal_bit(int signo)
{
    return 1ull << (signo - 1);
}

bool simp_overrun_signal(int signo)
{
    return __atomic_load_n(&timer_signals, __ATOMIC_SEQ_CST) & signal_bit(signo);
}

void simp_overruns_forget(void)
{
    memset(overruns, 0, sizeof(overruns));
}

void simp_overrun_create(unsigned timer, int signo)
{
    memset(&overruns[timer], 0, sizeof(overruns[timer]));
    __atomic_fetch_or(&timer_signals, signal_bit(signo), __ATOMIC_SEQ_CST);
}

void simp_overrun_clear(unsigned timer)
{
    __atomic_store_n(&overruns[timer].count, 0, __ATOMIC_SEQ_CST);
    overruns[timer].last = 0;
}

int simp_overrun_last(unsigned timer)
{
    return overruns[timer].last;
}

/* The pending signals of another thread can only be read in /proc. */
static uint64_t pending_of(pid_t tid)
{
    char what[32], text[SIMP_PEERS_STATUS];

    snprintf(what, sizeof(what), "task/%d/status", (int)tid);
    simp_peers_read(simc_pid(), what, text, sizeof(text));
    return simp_peers_signals(text, "\nSigPnd:");
}

/* Is the signal pending in the kernel, for the thread or (tid 0) for the process or the caller? */
static bool is_pending(int signo, pid_t tid)
{
    uint64_t set = 0;

    if (tid && tid != simc_tid())
        set = pending_of(tid);
    else
        simc_raw3(SYS_rt_sigpending, &set, KERNEL_SIGSET, 0);
    return set & signal_bit(signo);
}

/* A signal that was sent and is not pending is lost if it was ignored: then send the next one. */
bool simp_overrun_expire(unsigned timer, int signo, pid_t tid, uint64_t n)
{
    struct overrun *o = &overruns[timer];

    if (__atomic_load_n(&o->sent, __ATOMIC_SEQ_CST) && is_pending(signo, tid)) {
        __atomic_fetch_add(&o->count, n, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&o->sent, __ATOMIC_SEQ_CST))
            return false;
        n = 1; /* the signal was delivered meanwhile */
    }
    __atomic_store_n(&o->held, false, __ATOMIC_SEQ_CST);
    __atomic_store_n(&o->count, n - 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&o->sent, true, __ATOMIC_SEQ_CST);
    return true;
}

static struct overrun *overrun_of(const siginfo_t *info)
{
    unsigned timer = (unsigned)info->si_timerid - SIMP_ALARM_IDS;

    return info->si_code == SI_TIMER && timer < SIMP_ALARMS_MAX ? &overruns[timer] : NULL;
}

/*
 * It is held first, and then looked whether the other signal is pending. If that one is delivered
 * in between, one of the two threads sends the signal.
 */
bool simp_overrun_hold(const siginfo_t *info, pid_t tid)
{
    struct overrun *o = overrun_of(info);

    if (!o || info->si_signo >= SIGRTMIN)
        return false;
    o->held_info = *info;
    o->held_tid = tid;
    __atomic_store_n(&o->held, true, __ATOMIC_SEQ_CST);
    return is_pending(info->si_signo, tid) ||
           !__atomic_exchange_n(&o->held, false, __ATOMIC_SEQ_CST);
}

/* Pass one held signal to the kernel. When it is delivered, it releases the next. */
static void release_held(int signo)
{
    struct overrun *o;

    for (o = overruns; o < overruns + SIMP_ALARMS_MAX; o++) {
        if (!__atomic_load_n(&o->held, __ATOMIC_SEQ_CST) || o->held_info.si_signo != signo ||
            !__atomic_exchange_n(&o->held, false, __ATOMIC_SEQ_CST))
            continue;
        if (o->held_tid)
            simc_raw5(SYS_rt_tgsigqueueinfo, simc_pid(), o->held_tid, signo, &o->held_info, 0);
        else
            simc_raw5(SYS_rt_sigqueueinfo, simc_pid(), signo, &o->held_info, 0, 0);
        return;
    }
}

void simp_overrun_accept(siginfo_t *info)
{
    struct overrun *o = overrun_of(info);
    uint64_t count;

    if (o) {
        __atomic_store_n(&o->sent, false, __ATOMIC_SEQ_CST);
        count = __atomic_exchange_n(&o->count, 0, __ATOMIC_SEQ_CST);
        o->last = count < INT_MAX ? (int)count : INT_MAX; /* DELAYTIMER_MAX */
        info->si_overrun = o->last;
    }
    if (info->si_signo < SIGRTMIN && simp_overrun_signal(info->si_signo))
        release_held(info->si_signo);
}

void simp_overrun_accept_read(int fd, void *buf, size_t size)
{
    static const char name[] = "anon_inode:[signalfd]";
    char path[64], link[sizeof(name)] = "";
    struct signalfd_siginfo *s = buf;

    if (!timer_signals || size < sizeof(*s))
        return;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    simc_raw5(SYS_readlinkat, AT_FDCWD, path, link, sizeof(link) - 1, 0);
    if (strcmp(link, name) != 0)
        return;
    for (; size >= sizeof(*s); size -= sizeof(*s), s++) {
        siginfo_t info = {.si_signo = (int)s->ssi_signo, .si_code = s->ssi_code};

        info.si_timerid = (int)s->ssi_tid;
        info.si_overrun = (int)s->ssi_overrun;
        simp_overrun_accept(&info);
        s->ssi_overrun = (uint32_t)info.si_overrun;
    }
}
