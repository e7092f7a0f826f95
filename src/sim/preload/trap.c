/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * trap.c - a seccomp filter of system calls
 *
 * It catches calls that symbol interposition misses: syscall instructions of the program, and
 * calls made inside the C library. Such a call becomes SIGSYS, whose handler executes it in virtual
 * time. A filter survives exec and cannot be removed: each program installs it only if it is not
 * there yet. System calls of this library come from a page that the filter lets pass.
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
#define PROBE 0x41434853 /* option of prctl that fails with THERE if the filter is installed */
#define THERE EUCLEAN
#define CODE_SECCOMP 1 /* SYS_SECCOMP of siginfo_t */

#if defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
#else
#define ARCH AUDIT_ARCH_I386
#endif

/* A filter under construction. */
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

/* Trap if the argument is not 0; else continue. */
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
    case CLOCK: /* CPU-time clocks are left to the kernel; see simp_clock_cpu */
        load(f, low(0));
        add(f, BPF_JMP | BPF_JSET | BPF_K, 0x80000000u, 0, 2);
        add(f, BPF_ALU | BPF_AND | BPF_K, 7, 0, 0);
        add(f, BPF_JMP | BPF_JEQ | BPF_K, 3, 2, 3); /* the clock of a device */
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
    load(f, offsetof(struct seccomp_data, nr)); /* the condition has overwritten the accumulator */
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
    add(f, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)SIMC_RAW_PAGE, 0, 2);
    add(f, BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(SIMC_RAW_PAGE + SIMC_RAW_SIZE), 1, 0);
    finish(f, SECCOMP_RET_ALLOW);
}

/* System calls of another ABI have other numbers: all of them are trapped. */
static void make_filter(struct filter *f)
{
    load(f, offsetof(struct seccomp_data, arch));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
    finish(f, SECCOMP_RET_TRAP);
    add_own_page(f);
    load(f, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
    add(f, BPF_JMP | BPF_JSET | BPF_K, SIMP_X32, 0, 1);
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

        if (simp_trap_other(signo, info, context))
            return;
        REAL(sigaction)(signo, &usual, NULL);
        simc_raw3(SYS_tgkill, simc_pid(), simc_tid(), signo);
        return;
    }
    if (info->si_arch != ARCH)
        simp_refuse_foreign();
    for (i = 0; i < 6; i++)
        a[i] = (long)REGISTER(u, i);
    RESULT(u) = (__typeof__(RESULT(u)))simp_dispatch(info->si_syscall, a, true);
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
    simc_raw5(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8, 0);
}

static bool mapped;

/* A program executed from inside the simulation inherits the filter, so handle SIGSYS first. */
void simc_early(void)
{
    install_handler();
    mapped = simc_raw_map();
}

void simp_trap_begin(void)
{
    const char *missing = NULL;

    if (!mapped)
        missing = "unwatched: no page for the simulation's own system calls";
    else if (!is_there() && !install_filter())
        missing = "unwatched: the kernel permits no filter of system calls (seccomp)";
    else if (!simp_vdso_hide())
        missing = "unwatched: the kernel's vDSO cannot be changed";
    if (missing)
        simp_refuse(missing,
                    "run the simulation where it is permitted, or allow \"unwatched\" in the "
                    "world file: then system calls that the program makes itself see real "
                    "time");
    else
        simp_counter_hide();
}
