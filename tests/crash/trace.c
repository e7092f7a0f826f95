/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <check.h>

#include "machine.h"

#define SYSCALL_STOP (SIGTRAP | 0x80)
#define LONG_NS check_time(20000000000ull)
#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)

bool process_sleeps(pid_t pid)
{
    uint64_t end = check_now_ns() + LONG_NS;

    do {
        char c = check_state(pid);

        if (c == 'S')
            return true;
        if (c == 0 || c == 'Z' || c == 'X')
            return false;
        sched_yield();
    } while (check_now_ns() < end);
    return false;
}

/* Called when t->run has returned; its address marks TRACE_END. */
__attribute__((noinline, used)) static void reached_end(void)
{
    __asm__ volatile("");
}

static void child(struct trace *t, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(9);
    t->ready(t->cx);
    syscall(SYS_kill, getpid(), SIGSTOP);
    t->run(t->cx);
    reached_end();
    _exit(0);
}

static enum trace_place lost(const struct trace *t, const char *what, int status)
{
    fprintf(stderr, "trace: child %ld: %s (wait status %#x, errno %d)\n", (long)t->pid, what,
            (unsigned)status, errno);
    return TRACE_LOST;
}

/* Wait for the child to stop. False: not by this signal. */
static bool stopped(const struct trace *t, int signal_)
{
    int status = 0;

    if (waitpid(t->pid, &status, 0) == t->pid && WIFSTOPPED(status) && WSTOPSIG(status) == signal_)
        return true;
    lost(t, "did not stop as expected", status);
    return false;
}

bool trace_start(struct trace *t)
{
    pid_t parent = getpid();

    fflush(NULL);
    t->pid = fork();
    if (t->pid == 0)
        child(t, parent);
    return t->pid > 0 && stopped(t, SIGSTOP) &&
           ptrace(PTRACE_SETOPTIONS, t->pid, NULL, OPTIONS) == 0;
}

static enum trace_place look(const struct trace *t)
{
    uintptr_t pc;

    if (!machine_pc(t->pid, &pc))
        return lost(t, "has no registers", 0);
    if (pc == (uintptr_t)reached_end)
        return TRACE_END;
    return machine_at_syscall(pc) ? TRACE_SYSCALL : TRACE_CODE;
}

static bool poke(pid_t pid, uintptr_t pc, machine_word code)
{
    long word;

    errno = 0;
    word = ptrace(PTRACE_PEEKTEXT, pid, (void *)(pc & ~(uintptr_t)7), NULL);
    if (errno)
        return false;
    memcpy((char *)&word + (pc & 7), &code, sizeof(code));
    return ptrace(PTRACE_POKETEXT, pid, (void *)(pc & ~(uintptr_t)7), (void *)word) == 0;
}

#if defined(__aarch64__)

#define SEQUENCE_MAX 16u

/* The target of a conditional branch; 0: this instruction is none. */
static uintptr_t branch_target(uintptr_t pc)
{
    uint32_t code = machine_code(pc);

    if ((code & 0xff000010u) == 0x54000000u || (code & 0x7e000000u) == 0x34000000u)
        return pc + (uintptr_t)((intptr_t)(int32_t)(code << 8) >> 13 << 2);
    return 0;
}

/*
 * Run a load-exclusive, store-exclusive sequence in one go. A kill within it has
 * the same effect as a kill before it: nothing has been stored. Stops after the
 * store, and at the one place where a branch may leave the sequence.
 */
static bool step_sequence(const struct trace *t, uintptr_t pc)
{
    uintptr_t end = pc, out = 0;
    bool ok;

    while (!machine_store_exclusive(end)) {
        uintptr_t to = branch_target(end);

        if (to)
            out = to;
        end += 4;
        if (end > pc + 4 * SEQUENCE_MAX)
            return false;
    }
    end += 4;
    ok = poke(t->pid, end, MACHINE_BREAKPOINT) && (!out || poke(t->pid, out, MACHINE_BREAKPOINT)) &&
         ptrace(PTRACE_CONT, t->pid, NULL, NULL) == 0 && stopped(t, SIGTRAP);
    return ok && poke(t->pid, end, machine_code(end)) &&
           (!out || poke(t->pid, out, machine_code(out)));
}

static bool step(const struct trace *t)
{
    uintptr_t pc;

    if (machine_pc(t->pid, &pc) && machine_load_exclusive(pc))
        return step_sequence(t, pc);
    return ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) == 0 && stopped(t, SIGTRAP);
}

#else

static bool step(const struct trace *t)
{
    return ptrace(PTRACE_SINGLESTEP, t->pid, NULL, NULL) == 0 && stopped(t, SIGTRAP);
}

#endif

/* Continue from the entry of a system call. TRACE_CODE: it returned. */
static enum trace_place let_in(struct trace *t)
{
    uint64_t end = check_now_ns() + LONG_NS;
    int status = 0;

    if (ptrace(PTRACE_SYSCALL, t->pid, NULL, NULL) != 0)
        return lost(t, "cannot go on", 0);
    while (t->unblock && waitpid(t->pid, &status, WNOHANG) == 0) {
        if (check_state(t->pid) == 'S')
            return TRACE_ASLEEP;
        if (check_now_ns() > end)
            return lost(t, "neither sleeps nor returns", 0);
        sched_yield();
    }
    if (!t->unblock)
        waitpid(t->pid, &status, 0);
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SYSCALL_STOP)
        return TRACE_CODE;
    return lost(t, "did not return from a system call", status);
}

enum trace_place trace_enter(struct trace *t)
{
    if (ptrace(PTRACE_SYSCALL, t->pid, NULL, NULL) != 0 || !stopped(t, SYSCALL_STOP))
        return lost(t, "made no system call", 0);
    return let_in(t);
}

static bool pass_syscall(struct trace *t)
{
    enum trace_place p = trace_enter(t);

    if (p == TRACE_ASLEEP) {
        t->unblock(t->cx);
        return stopped(t, SYSCALL_STOP);
    }
    return p == TRACE_CODE;
}

enum trace_place trace_step(struct trace *t)
{
    enum trace_place p = look(t);

    if (p == TRACE_END || p == TRACE_LOST)
        return p;
    if (p == TRACE_SYSCALL ? !pass_syscall(t) : !step(t))
        return TRACE_LOST;
    return look(t);
}

enum trace_place trace_pass(struct trace *t, unsigned syscalls)
{
    unsigned i;

    for (i = 0; i < syscalls; i++)
        if (!pass_syscall(t))
            return TRACE_LOST;
    return look(t);
}

enum trace_place trace_explore(struct trace *t, struct trace_path *path)
{
    enum trace_place p = look(t);
    uintptr_t pc;

    for (path->n = 0; p == TRACE_CODE && path->n < TRACE_PATH_MAX; path->n++) {
        if (!machine_pc(t->pid, &pc))
            return lost(t, "has no registers", 0);
        path->pcs[path->n] = pc;
        p = step(t) ? look(t) : TRACE_LOST;
    }
    return p == TRACE_CODE ? lost(t, "makes no system call", 0) : p;
}

/* Run until the child is at this instruction for the first time, or at a system call. */
static enum trace_place run_to(const struct trace *t, uintptr_t pc)
{
    int status = 0;

    if (!poke(t->pid, pc, MACHINE_BREAKPOINT) || ptrace(PTRACE_SYSCALL, t->pid, NULL, NULL) != 0 ||
        waitpid(t->pid, &status, 0) != t->pid || !WIFSTOPPED(status))
        return lost(t, "did not get to a breakpoint", status);
    if (WSTOPSIG(status) == SYSCALL_STOP)
        return TRACE_SYSCALL;
    if (WSTOPSIG(status) != SIGTRAP || !poke(t->pid, pc, machine_code(pc)) ||
        !machine_set_pc(t->pid, pc))
        return lost(t, "did not stop at a breakpoint", status);
    return TRACE_CODE;
}

/* The last instruction up to this one that is no repetition. */
static unsigned last_new(const struct trace_path *path, unsigned steps)
{
    unsigned i;

    for (; steps > 0; steps--) {
        for (i = 0; i < steps && path->pcs[i] != path->pcs[steps]; i++)
            ;
        if (i == steps)
            break;
    }
    return steps;
}

enum trace_place trace_follow(struct trace *t, const struct trace_path *path, unsigned steps)
{
    unsigned at = last_new(path, steps);
    enum trace_place p = at ? run_to(t, path->pcs[at]) : look(t);

    for (; at < steps && p == TRACE_CODE; at++)
        p = step(t) ? look(t) : TRACE_LOST;
    return p;
}

void trace_kill(struct trace *t)
{
    siginfo_t info;

    kill(t->pid, SIGKILL);
    while (waitid(P_PID, (id_t)t->pid, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
}

void trace_reap(struct trace *t)
{
    waitpid(t->pid, NULL, 0);
    t->pid = 0;
}

void trace_release(struct trace *t)
{
    ptrace(PTRACE_DETACH, t->pid, NULL, NULL);
}

bool trace_ended_well(struct trace *t)
{
    bool ok = check_child(t->pid, (long)(LONG_NS / 1000000));

    t->pid = 0;
    return ok;
}

static void nothing(void *cx)
{
    (void)cx;
}

const char *trace_missing(void)
{
    static struct trace_path path;
    struct trace t = {.ready = nothing, .run = nothing};
    enum trace_place p;

    if (!MACHINE_KNOWN)
        return "no single-stepping known for this processor";
    if (!trace_start(&t))
        return "ptrace is not permitted here";
    p = trace_explore(&t, &path);
    trace_kill(&t);
    trace_reap(&t);
    return p == TRACE_END ? NULL : "single steps do not work here";
}
