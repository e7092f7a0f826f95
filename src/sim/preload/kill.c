/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kill.c - signals that a process of the simulation sends, at its virtual time
 *
 * A computing thread gets a signal at once, as usual. A waiting thread gets it at the sender's
 * virtual time. If the signal ends a process, the sender continues only after that process has
 * ended, so that its end has a virtual time as well.
 */
#include "kill.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"
#include "pending.h"
#include "refuse.h"

#define TARGETS_MAX 64
#define END_LIMIT 2 /* longest wait for the end of a killed process, in seconds of wall time */

static long kill_now(const struct simp_sent *s)
{
    if (s->pidfd)
        return simc_raw5(SYS_pidfd_send_signal, s->fd, s->signo, s->info, s->flags, 0);
    if (s->info && s->tid)
        return simc_raw5(SYS_rt_tgsigqueueinfo, s->pid, s->tid, s->signo, s->info, 0);
    if (s->info)
        return simc_raw3(SYS_rt_sigqueueinfo, s->pid, s->signo, s->info);
    if (s->tid)
        return simc_raw3(SYS_tgkill, s->pid, s->tid, s->signo);
    return simc_raw3(SYS_kill, s->pid, s->signo, 0);
}

/* Send to other threads of this process. */
static long kill_inside(const struct simp_sent *s)
{
    struct simp_sent probe = *s;
    siginfo_t info = {.si_signo = s->signo, .si_code = s->tid ? SI_TKILL : SI_USER};
    long r;

    info.si_pid = simc_pid();
    info.si_uid = getuid();
    probe.signo = 0;
    probe.info = NULL;
    r = kill_now(&probe);
    if (r < 0)
        return r;
    if (s->info)
        memcpy(&info, s->info, sizeof(info));
    info.si_signo = s->signo;
    switch (simp_signal_push(&info, s->tid)) {
    case SIMP_PUSHED:
        simp_signals_settle();
        return 0;
    case SIMP_PUSHED_BEFORE:
        return 0;
    default:
        return kill_now(s);
    }
}

static bool ends_by_default(int signo)
{
    switch (signo) {
    case SIGCHLD:
    case SIGCONT:
    case SIGSTOP:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGWINCH:
        return false;
    default:
        return true;
    }
}

/* Would the signal end the process now? A process that blocks it ends later, at its own time. */
static bool would_end(pid_t pid, int signo)
{
    uint64_t bit = 1ull << (signo - 1), safe;
    char text[SIMP_PEERS_STATUS];

    if (!ends_by_default(signo) || !simp_peers_read(pid, "status", text, sizeof(text)))
        return false;
    safe = simp_peers_signals(text, "\nSigBlk:") | simp_peers_signals(text, "\nSigIgn:") |
           simp_peers_signals(text, "\nSigCgt:");
    return signo == SIGKILL || !(safe & bit);
}

/* The target processes of a signal, and pidfds of those that it ends. */
struct targets {
    pid_t pids[TARGETS_MAX];
    struct pollfd ends[TARGETS_MAX];
    unsigned n, n_ends;
};

static void add_target(struct targets *t, pid_t pid, int signo)
{
    int fd;

    if (pid <= 0)
        return;
    if (t->n == TARGETS_MAX) {
        simp_refuse("kill: a signal to a group of more than 64 processes", "send it to each");
        return;
    }
    t->pids[t->n++] = pid;
    fd =
        pid != simc_pid() && would_end(pid, signo) ? (int)simc_raw3(SYS_pidfd_open, pid, 0, 0) : -1;
    if (fd >= 0)
        t->ends[t->n_ends++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* group 0: this process's own. group 1 (kill(-1)): only those of this process's group are found. */
static void add_group(struct targets *t, pid_t group, int signo)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;

    if (group <= 1)
        group = getpgid(0);
    while (dir && (e = readdir(dir))) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

        if (isdigit((unsigned char)e->d_name[0]) && simp_peers_kin(pid).group == group)
            add_target(t, pid, signo);
    }
    if (dir)
        closedir(dir);
}

static pid_t pid_of(int pidfd)
{
    char what[32], text[512];
    const char *line;

    snprintf(what, sizeof(what), "fdinfo/%d", pidfd);
    simp_peers_read(simc_pid(), what, text, sizeof(text));
    line = strstr(text, "\nPid:");
    return line ? (pid_t)strtol(line + 5, NULL, 10) : 0;
}

static void find_targets(struct targets *t, const struct simp_sent *s)
{
    t->n = t->n_ends = 0;
    if (s->pidfd)
        add_target(t, pid_of(s->fd), s->signo);
    else if (s->pid > 0)
        add_target(t, s->pid, s->signo);
    else
        add_group(t, -s->pid, s->signo);
}

static void await_ends(struct targets *t, bool sent)
{
    const struct timespec limit = {.tv_sec = END_LIMIT};
    unsigned i;

    for (i = 0; i < t->n_ends; i++) {
        if (sent)
            simc_raw5(SYS_ppoll, &t->ends[i], 1, &limit, NULL, 0);
        simc_raw3(SYS_close, t->ends[i].fd, 0, 0);
    }
}

/* Refuse signals that stop a process: the coordinator itself uses them to stop processes. */
static void check_stop(const struct targets *t, int signo)
{
    unsigned i;

    for (i = 0; i < t->n && (signo == SIGSTOP || signo == SIGTSTP); i++)
        if (simp_peers_process(t->pids[i]))
            simp_refuse("stop: a signal that stops a process of the simulation",
                        "let it wait for a message");
}

/*
 * Send to one or more other processes, perhaps including this one. Signals are blocked meanwhile,
 * so this process's handlers run after the events of all targets are posted.
 */
static long kill_outside(const struct simp_sent *s)
{
    struct targets t;
    sigset_t all, mask;
    unsigned i;
    long r;

    simp_signal_fill(&all);
    simp_signal_mask(SIG_SETMASK, &all, &mask);
    simc_critical();
    simc_hold();
    find_targets(&t, s);
    check_stop(&t, s->signo);
    r = kill_now(s);
    await_ends(&t, r >= 0);
    simc_release();
    for (i = 0; i < t.n && r >= 0; i++)
        simc_post(simc_event_signal(t.pids[i]));
    simc_uncritical();
    simp_signal_mask(SIG_SETMASK, &mask, NULL);
    return r;
}

/* False for 0, which only checks permission, and for signals reserved by the C library. */
static bool is_signal(int signo)
{
    return (signo > 0 && signo < 32) || (signo >= SIGRTMIN && signo < NSIG);
}

long simp_send(const struct simp_sent *s)
{
    bool own = s->pid == simc_pid();

    if (!simc_free() || !is_signal(s->signo) ||
        (own && (s->tid ? s->tid == simc_tid() : simp_threads() == 1)))
        return kill_now(s);
    simp_local_post_pending();
    simc_act();
    return own ? kill_inside(s) : kill_outside(s);
}

long simp_tkill(pid_t tid, int signo)
{
    pid_t pid = simc_pid();

    if (simc_raw3(SYS_tgkill, pid, tid, 0) != 0)
        return simc_raw3(SYS_tkill, tid, signo, 0);
    return simp_send(&(struct simp_sent){.pid = pid, .tid = tid, .signo = signo});
}

EXPORT int kill(pid_t pid, int signo)
{
    return (int)simp_result(simp_send(&(struct simp_sent){.pid = pid, .signo = signo}));
}

EXPORT int killpg(pid_t group, int signo)
{
    if (group < 0) {
        errno = EINVAL;
        return -1;
    }
    return kill(-group, signo);
}

EXPORT int tgkill(pid_t pid, pid_t tid, int signo)
{
    if (pid <= 0 || tid <= 0)
        return REAL(tgkill)(pid, tid, signo);
    return (int)simp_result(simp_send(&(struct simp_sent){.pid = pid, .tid = tid, .signo = signo}));
}

static void set_value(siginfo_t *info, int signo, union sigval value)
{
    memset(info, 0, sizeof(*info));
    info->si_signo = signo;
    info->si_code = SI_QUEUE;
    info->si_pid = simc_pid();
    info->si_uid = getuid();
    info->si_value = value;
}

EXPORT int sigqueue(pid_t pid, int signo, const union sigval value)
{
    siginfo_t info;

    set_value(&info, signo, value);
    return (int)simp_result(
        simp_send(&(struct simp_sent){.pid = pid, .signo = signo, .info = &info}));
}

/* 0: the calling thread, an unknown thread, or a signal that is not simulated. */
static pid_t other_thread(pthread_t thread, int signo)
{
    return simc_free() && is_signal(signo) && !pthread_equal(thread, pthread_self())
               ? simp_thread_id(thread)
               : 0;
}

EXPORT int pthread_kill(pthread_t thread, int signo)
{
    pid_t tid = other_thread(thread, signo);

    if (!tid)
        return REAL(pthread_kill)(thread, signo);
    return (int)-simp_send(&(struct simp_sent){.pid = simc_pid(), .tid = tid, .signo = signo});
}

EXPORT int pthread_sigqueue(pthread_t thread, int signo, const union sigval value)
{
    pid_t tid = other_thread(thread, signo);
    siginfo_t info;

    if (!tid)
        return REAL(pthread_sigqueue)(thread, signo, value);
    set_value(&info, signo, value);
    return (int)-simp_send(
        &(struct simp_sent){.pid = simc_pid(), .tid = tid, .signo = signo, .info = &info});
}

EXPORT int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags);

/* Since glibc 2.36. */
EXPORT int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags)
{
    return (int)simp_result(simp_send(&(struct simp_sent){
        .pidfd = true, .fd = fd, .signo = signo, .info = info, .flags = flags}));
}
