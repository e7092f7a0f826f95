/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - children: they begin at their parent's time, and are waited for in virtual time
 *
 * Whether a child has ended is looked at after each step of the world.
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
#include "preload.h"
#include "told.h"

static void tell(void *word)
{
    achi_told_set(word);
}

/* As a new thread does, the child says hello before its parent goes on. */
EXPORT pid_t fork(void)
{
    struct achi_told *told = NULL;
    uint32_t parent;
    pid_t pid;

    if (!achi_sim_free())
        return REAL(fork)();
    achi_sim_act();
    parent = (uint32_t)achi_sim_tid();
    told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (told == MAP_FAILED)
        return -1;
    achi_sim_critical();
    pid = REAL(fork)();
    if (pid == 0)
        achi_sim_hello(parent, tell, told);
    else if (pid > 0)
        achi_told_await(told, pid);
    achi_sim_uncritical();
    munmap(told, sizeof(*told));
    return pid;
}

/* A child that borrowed this one's memory could not say hello. */
EXPORT pid_t vfork(void)
{
    return fork();
}

/* Without the handlers that exit calls. */
EXPORT void _exit(int status)
{
    achi_sim_exit();
    REAL(_exit)(status);
    abort();
}

EXPORT void _Exit(int status)
{
    _exit(status);
}

struct waiting {
    pid_t pid, r;
    int *status;
    int options;
    struct rusage *usage;
};

static bool look(void *cx)
{
    struct waiting *w = cx;

    w->r = REAL(wait4)(w->pid, w->status, w->options | WNOHANG, w->usage);
    return w->r != 0;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct waiting w = {pid, 0, status, options, usage};
    struct achi_events e = {.signals = ACHI_RESTARTS};

    if (!achi_sim_free() || (options & WNOHANG))
        return REAL(wait4)(pid, status, options, usage);
    achi_events_add(&e, ACHI_EVENT_POLL);
    if (achi_block(ACHI_SIM_NEVER, &e, look, &w))
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

static void run_shell(const char *command, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
}

/* The C library would wait for the shell in real time. */
EXPORT int system(const char *command)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old[2];
    sigset_t child, mask;
    int status = -1;
    pid_t pid;

    if (!achi_sim_free())
        return ACHI_COUNTER_SHOWN(REAL(system)(command));
    if (!command) /* is there a shell? */
        return system("exit 0") == 0;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    pid = fork();
    if (pid == 0)
        run_shell(command, &mask);
    sigaction(SIGINT, &ignore, &old[0]);
    sigaction(SIGQUIT, &ignore, &old[1]);
    if (pid > 0 && waitpid(pid, &status, 0) != pid)
        status = -1;
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGQUIT, &old[1], NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return status;
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
    struct achi_events e = {.signals = ACHI_RESTARTS};

    if (!achi_sim_free() || (options & WNOHANG))
        return REAL(waitid)(type, id, info, options);
    achi_events_add(&e, ACHI_EVENT_POLL);
    if (achi_block(ACHI_SIM_NEVER, &e, look_at_id, &w))
        return w.r;
    errno = EINTR;
    return -1;
}

/* The function has no place for the use of resources: with that, the kernel is asked at the end. */
long achi_waitid_number(const long a[6])
{
    siginfo_t info;
    int r;

    if (!a[4]) {
        r = waitid((idtype_t)a[0], (id_t)a[1], (siginfo_t *)a[2], (int)a[3]);
        return r == 0 ? 0 : -errno;
    }
    if (waitid((idtype_t)a[0], (id_t)a[1], &info, (int)a[3] | WNOWAIT) != 0)
        return -errno;
    return achi_raw5(SYS_waitid, a[0], a[1], a[2], a[3] | WNOHANG, a[4]);
}
