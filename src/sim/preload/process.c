/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - child processes: they begin at their parent's time, and are awaited in virtual time
 *
 * A waiting parent checks after each step of the world whether a child has ended.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counter.h"
#include "dispatch.h"
#include "once.h"
#include "preload.h"

static void process_tell(void *word)
{
    simp_once_set(word);
}

/* Like a new thread, the child says hello to the coordinator before its parent continues. */
EXPORT pid_t fork(void)
{
    struct simp_once *told = NULL;
    uint32_t parent;
    pid_t pid;

    if (!simc_free())
        return REAL(fork)();
    simc_act();
    parent = (uint32_t)simc_tid();
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return -1;
    simc_critical();
    pid = REAL(fork)();
    if (pid == 0)
        simc_hello(parent, process_tell, told);
    else if (pid > 0)
        simp_once_await(told, pid);
    simc_uncritical();
    munmap(told, sizeof(*told));
    return pid;
}

/* A child that shares the parent's memory could not say hello. */
EXPORT pid_t vfork(void)
{
    return fork();
}

/* Does not run atexit handlers, so simc_exit is called here. */
EXPORT void _exit(int status)
{
    simc_exit();
    REAL(_exit)(status);
    abort();
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

struct process_waiting {
    pid_t pid, r;
    int *status;
    int options;
    struct rusage *usage;
};

static bool process_look(void *cx)
{
    struct process_waiting *w = cx;

    w->r = REAL(wait4)(w->pid, w->status, w->options | WNOHANG, w->usage);
    return w->r != 0;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct process_waiting w = {pid, 0, status, options, usage};
    struct simp_events e = {.signals = SIMP_RESTARTS};

    if (!simc_free() || (options & WNOHANG))
        return REAL(wait4)(pid, status, options, usage);
    simp_events_add(&e, SIM_EVENT_POLL);
    if (simp_block(SIM_NEVER, &e, process_look, &w))
        return w.r;
    errno = EINTR;
    return -1;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait4(pid, status, options, NULL);
}

EXPORT pid_t wait(int *status)
{
    return wait4(-1, status, 0, NULL);
}

EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait4(-1, status, options, usage);
}

struct waiting_id {
    idtype_t type;
    id_t id;
    siginfo_t *info;
    int options, r;
};

static bool look_at_id(void *cx)
{
    struct waiting_id *w = cx;

    w->info->si_pid = 0;
    w->r = REAL(waitid)(w->type, w->id, w->info, w->options | WNOHANG);
    return w->r != 0 || w->info->si_pid != 0;
}

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own;
    struct waiting_id w = {type, id, info ? info : &own, options, 0};
    struct simp_events e = {.signals = SIMP_RESTARTS};

    if (!simc_free() || (options & WNOHANG))
        return REAL(waitid)(type, id, info, options);
    simp_events_add(&e, SIM_EVENT_POLL);
    if (simp_block(SIM_NEVER, &e, look_at_id, &w))
        return w.r;
    errno = EINTR;
    return -1;
}

/* waitid() has no rusage argument: if one is wanted, the kernel's waitid fills it in at the end. */
long simp_waitid_number(const long a[6])
{
    siginfo_t info;
    int r;

    if (!a[4]) {
        r = waitid((idtype_t)a[0], (id_t)a[1], (siginfo_t *)a[2], (int)a[3]);
        return r == 0 ? 0 : -errno;
    }
    if (waitid((idtype_t)a[0], (id_t)a[1], &info, (int)a[3] | WNOWAIT) != 0)
        return -errno;
    return simc_raw5(SYS_waitid, a[0], a[1], a[2], a[3] | WNOHANG, a[4]);
}
