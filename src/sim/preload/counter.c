/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counter.c - the processor's cycle counter
 *
 * The kernel can make the instruction that reads the counter fault: on x86 always, on aarch64 since
 * Linux 6.12. The fault is SIGSEGV. The program may have a handler for it, so this library installs
 * its own handler and calls the program's for all other faults.
 */
#include "counter.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "preload.h"
#include "refuse.h"

static struct sigaction theirs = {.sa_handler = SIG_DFL};
static bool hidden;

#if defined(__aarch64__)
static bool reads_counter(const ucontext_t *u)
{
    uint32_t instruction;

    memcpy(&instruction, (const void *)u->uc_mcontext.pc, sizeof(instruction));
    switch (instruction & ~0x1fu) { /* without the register */
    case 0xd53be000u:               /* cntfrq_el0, its frequency */
    case 0xd53be040u:               /* cntvct_el0 */
    case 0xd53be0c0u:               /* cntvctss_el0 */
        return true;
    default:
        return false;
    }
}
#else
static bool reads_counter(const ucontext_t *u)
{
#ifdef __x86_64__
    const unsigned char *p = (const unsigned char *)u->uc_mcontext.gregs[REG_RIP];
#else
    const unsigned char *p = (const unsigned char *)u->uc_mcontext.gregs[REG_EIP];
#endif
    return (p[0] == 0x0f && p[1] == 0x31) || (p[0] == 0x0f && p[1] == 0x01 && p[2] == 0xf9);
}
#endif

/* Do not read the instruction after SEGV_MAPERR: its address may be unmapped. */
static bool is_counter(const siginfo_t *info, const ucontext_t *u)
{
    return hidden && info->si_code > 0 && info->si_code != SEGV_MAPERR && reads_counter(u);
}

static void on_fault(int signo, siginfo_t *info, void *context)
{
    if (is_counter(info, context)) {
        simp_refuse(
            "cycle_counter read by an instruction of the program",
            "use clock_gettime, or allow \"cycle_counter\" in the world file: then it shows "
            "real time");
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    } else if (theirs.sa_flags & SA_SIGINFO) {
        theirs.sa_sigaction(signo, info, context);
    } else if (theirs.sa_handler != SIG_DFL && theirs.sa_handler != SIG_IGN) {
        theirs.sa_handler(signo);
    } else {
        const struct sigaction usual = {.sa_handler = SIG_DFL};

        REAL(sigaction)(signo, &usual, NULL);
        if (info->si_code <= 0) /* sent by kill or the like: it does not recur by itself */
            simc_raw3(SYS_tgkill, simc_pid(), simc_tid(), signo);
    }
}

static void install(const struct sigaction *action)
{
    struct sigaction ours = *action;

    ours.sa_sigaction = on_fault;
    ours.sa_flags |= SA_SIGINFO;
    sigdelset(&ours.sa_mask, SIGSYS);
    REAL(sigaction)(SIGSEGV, &ours, NULL);
}

bool simp_counter_hide(void)
{
    hidden = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
    if (hidden) {
        REAL(sigaction)(SIGSEGV, NULL, &theirs);
        install(&theirs);
    }
    return hidden;
}

bool simp_counter_show(void)
{
    int saved = errno, mode = PR_TSC_ENABLE;
    bool was_hidden = hidden && prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode == PR_TSC_SIGSEGV;

    if (was_hidden)
        prctl(PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0);
    errno = saved;
    return was_hidden;
}

void simp_counter_hide_again(bool was_hidden)
{
    int saved = errno;

    if (was_hidden)
        prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    errno = saved;
}

int simp_counter_action(const struct sigaction *action, struct sigaction *old)
{
    struct sigaction before = theirs;

    if (!hidden)
        return REAL(sigaction)(SIGSEGV, action, old);
    if (action) {
        theirs = *action;
        install(action);
    }
    if (old)
        *old = before;
    return 0;
}
