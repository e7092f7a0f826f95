/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trap.c - a filter of system calls
 *
 * It sees what symbols do not: instructions of the program, and what the C library calls inside
 * itself. Such a call becomes SIGSYS, whose handler does it in virtual time. Filters stay when
 * the process executes another program, and cannot be taken back: each program installs it once,
 * if it is not there yet. What the simulation itself calls comes from its own page.
 */
#include "trap.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "counter.h"
#include "dispatch.h"
#include "refuse.h"
#include "vdso.h"

#define FILTER_MAX 512
#define PROBE 0x41434853 /* of prctl: is the filter there? */
#define THERE EUCLEAN
#define CODE_SECCOMP 1 /* SYS_SECCOMP of siginfo_t */

#if defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_I386
#endif

/* A filter as it grows. */
struct filter {
    struct sock_filter at[FILTER_MAX];
    unsigned short n;
};

enum when { ALWAYS, CLOCK, FUTEX, ITIMER, TIMEOUT_2, TIMEOUT_3 };

static void add(struct filter *f, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (f->n == FILTER_MAX)
        abort();
    f->at[f->n++] = (struct sock_filter){code, yes, no, k};
}

static void load(struct filter *f, size_t offset)
{
    add(f, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void finish(struct filter *f, uint32_t action)
{
    add(f, BPF_RET | BPF_K, action, 0, 0);
}

static size_t low(unsigned argument)
{
    return offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t);
}

static size_t high(unsigned argument)
{
    return low(argument) + sizeof(uint32_t);
}

/* Return action if the argument is not 0; else go on. */
static void unless_zero(struct filter *f, unsigned argument, bool wide)
{
    load(f, low(argument));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, wide ? 0 : 1, 0);
    if (wide) {
        f->at[f->n - 1].jf = 2;
        load(f, high(argument));
        add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
    }
    finish(f, SECCOMP_RET_TRAP);
}

static void add_condition(struct filter *f, enum when when)
{
    static const uint8_t waits[] = {FUTEX_WAIT, FUTEX_WAIT_BITSET, FUTEX_LOCK_PI, 13,
                                    FUTEX_WAIT_REQUEUE_PI};
    unsigned i, n = sizeof(waits);

    switch (when) {
    case ALWAYS:
        finish(f, SECCOMP_RET_TRAP);
        return;
    case CLOCK: /* those of CPU time are the kernel's: 2, 3 and the negative ones */
        load(f, low(0));
        add(f, BPF_JMP | BPF_JSET | BPF_K, 0x80000000u, 3, 0);
        add(f, BPF_JMP | BPF_JEQ | BPF_K, CLOCK_PROCESS_CPUTIME_ID, 2, 0);
        add(f, BPF_JMP | BPF_JEQ | BPF_K, CLOCK_THREAD_CPUTIME_ID, 1, 0);
        finish(f, SECCOMP_RET_TRAP);
        break;
    case ITIMER: /* the others count CPU time */
        load(f, low(0));
        add(f, BPF_JMP | BPF_JEQ | BPF_K, ITIMER_REAL, 0, 1);
        finish(f, SECCOMP_RET_TRAP);
        break;
    case TIMEOUT_2:
        unless_zero(f, 2, false);
        break;
    case TIMEOUT_3:
        unless_zero(f, 3, false);
        break;
    case FUTEX: /* those that wait, with a timeout */
        load(f, low(1));
        add(f, BPF_ALU | BPF_AND | BPF_K, 127, 0, 0);
        for (i = 0; i < n; i++)
            add(f, BPF_JMP | BPF_JEQ | BPF_K, waits[i], (uint8_t)(n - i), 0);
        finish(f, SECCOMP_RET_ALLOW);
        unless_zero(f, 3, true);
        break;
    }
    finish(f, SECCOMP_RET_ALLOW);
}

static void add_trap(struct filter *f, uint32_t number, enum when when)
{
    unsigned short test = f->n;

    add(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 0);
    add_condition(f, when);
    f->at[test].jf = (uint8_t)(f->n - test - 1);
    load(f, offsetof(struct seccomp_data, nr)); /* the condition has used the register */
}

static void add_absent(struct filter *f, uint32_t number)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
    finish(f, SECCOMP_RET_ERRNO | ENOSYS);
}

static void add_probe(struct filter *f)
{
    add(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 4);
    load(f, low(0));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, PROBE, 0, 1);
    finish(f, SECCOMP_RET_ERRNO | THERE);
    finish(f, SECCOMP_RET_ALLOW);
}

static void add_own_page(struct filter *f)
{
    size_t ip = offsetof(struct seccomp_data, instruction_pointer);

    load(f, ip + sizeof(uint32_t));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 4);
    load(f, ip);
    add(f, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)ACHI_RAW_PAGE, 0, 2);
    add(f, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(ACHI_RAW_PAGE + ACHI_RAW_SIZE), 1, 0);
    finish(f, SECCOMP_RET_ALLOW);
}

/* A call in the manner of another machine has other numbers: it is trapped whatever it is. */
static void make_filter(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    finish(f, SECCOMP_RET_TRAP);
    add_own_page(f);
    load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    add(f, BPF_JMP | BPF_JSET | BPF_K, ACHI_X32, 0, 1);
    finish(f, SECCOMP_RET_TRAP);
#endif
    add_probe(f);
#define TRAP(name, when) add_trap(f, SYS_##name, when);
#define ABSENT(name) add_absent(f, SYS_##name);
#include "traps.inc"
    finish(f, SECCOMP_RET_ALLOW);
}

static bool is_there(void)
{
    return prctl(PROBE, 0, 0, 0, 0) != 0 && errno == THERE;
}

static bool install_filter(void)
{
    static struct filter f;
    struct sock_fprog program;

    make_filter(&f);
    program = (struct sock_fprog){f.n, f.at};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

#if defined(__aarch64__)
#define REGISTER(u, i) (u)->uc_mcontext.regs[i]
#define RESULT(u) (u)->uc_mcontext.regs[0]
#elif defined(__x86_64__)
static const int registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
#define REGISTER(u, i) (u)->uc_mcontext.gregs[registers[i]]
#define RESULT(u) (u)->uc_mcontext.gregs[REG_RAX]
#else
static const int registers[] = {REG_EBX, REG_ECX, REG_EDX, REG_ESI, REG_EDI, REG_EBP};
#define REGISTER(u, i) (u)->uc_mcontext.gregs[registers[i]]
#define RESULT(u) (u)->uc_mcontext.gregs[REG_EAX]
#endif

static void on_trap(int signo, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
    int saved = errno;
    long a[6];
    int i;

    if (info->si_code != CODE_SECCOMP) {
        const struct sigaction usual = {.sa_handler = SIG_DFL};

        if (achi_trap_other(signo, info, context))
            return;
        REAL(sigaction)(signo, &usual, NULL);
        achi_raw3(SYS_tgkill, achi_sim_pid(), achi_sim_tid(), signo);
        return;
    }
    if (info->si_arch != ARCH)
        achi_refuse_foreign();
    for (i = 0; i < 6; i++)
        a[i] = (long)REGISTER(u, i);
    RESULT(u) = (__typeof__(RESULT(u)))achi_dispatch(info->si_syscall, a, true);
    errno = saved;
}

static void install_handler(void)
{
    struct sigaction action = {.sa_sigaction = on_trap,
                               .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    sigset_t set;

    sigemptyset(&action.sa_mask);
    REAL(sigaction)(SIGSYS, &action, NULL);
    sigemptyset(&set);
    sigaddset(&set, SIGSYS);
    achi_raw5(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8, 0);
}

static bool mapped;

/* A program that is executed by another one of the simulation has the filter from the start. */
void achi_sim_early(void)
{
    install_handler();
    mapped = achi_raw_map();
}

void achi_trap_begin(void)
{
    const char *missing = NULL;

    if (!mapped)
        missing = "unwatched: no page for the simulation's own system calls";
    else if (!is_there() && !install_filter())
        missing = "unwatched: the kernel permits no filter of system calls (seccomp)";
    else if (!achi_vdso_hide())
        missing = "unwatched: the kernel's vDSO cannot be changed";
    if (missing)
        achi_refuse(missing,
                    "run the simulation where it is permitted, or allow \"unwatched\" in the "
                    "world file: then system calls that the program makes itself see real "
                    "time");
    else
        achi_counter_hide();
}
