/* SPDX-License-Identifier: BSD-3-Clause */
/* state.c - state of the process and of the thread, and the signal mask */
#include <errno.h>
#include <signal.h>

#include "sink.h"

#define NS_PER_S 1000000000ll

struct simc_process simc_process;
void (*achi_sim_over)(void);
bool (*achi_sim_disturbed)(void);
uint64_t simc_handled;

__thread struct simc_sink simc_sink_self __attribute__((tls_model("initial-exec")));

int64_t simc_sink_cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t simc_epoch(void)
{
    return simc_process.epoch;
}

int32_t simc_pid(void)
{
    if (!simc_process.pid)
        simc_process.pid = getpid();
    return simc_process.pid;
}

int32_t simc_tid(void)
{
    if (!simc_sink_self.tid)
        simc_sink_self.tid = (int32_t)syscall(SYS_gettid);
    return simc_sink_self.tid;
}

void simc_sink_mask(struct simc_sink *s)
{
    uint64_t handled = __atomic_load_n(&simc_handled, __ATOMIC_RELAXED);

    if (s->masked || !handled)
        return;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &handled, &s->mask, sizeof(s->mask));
    s->masked = true;
}

void simc_sink_unmask(struct simc_sink *s)
{
    if (!s->masked)
        return;
    s->masked = false;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, sizeof(s->mask));
}
