/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * send.c - signals that a process of the simulation sends, at its time
 *
 * A thread that computes gets a signal at once, as ever. One that waits gets it at the time at
 * which it is sent. A process that a signal ends is gone before the sender goes on, so that its
 * end has a time as well.
 */
#include "send.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inside.h"
#include "pending.h"
#include "refuse.h"

#define TARGETS_MAX 64
#define END_LIMIT 2 /* seconds of wall time until a process that was killed has ended */
#define STATUS_MAX 4096

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

static long send_now(const struct achi_sent *s)
{
    if (s->pidfd)
        return achi_raw5(SYS_pidfd_send_signal, s->fd, s->signo, s->info, s->flags, 0);
    if (s->info && s->tid)
        return achi_raw5(SYS_rt_tgsigqueueinfo, s->pid, s->tid, s->signo, s->info, 0);
    if (s->info)
        return achi_raw3(SYS_rt_sigqueueinfo, s->pid, s->signo, s->info);
    if (s->tid)
        return achi_raw3(SYS_tgkill, s->pid, s->tid, s->signo);
    return achi_raw3(SYS_kill, s->pid, s->signo, 0);
}

/* To other threads of this process. */
static long send_inside(const struct achi_sent *s)
{
    struct achi_sent probe = *s;
    siginfo_t info = {.si_signo = s->signo, .si_code = s->tid ? SI_TKILL : SI_USER};
    long r;

    info.si_pid = achi_sim_pid();
    info.si_uid = getuid();
    probe.signo = 0;
    probe.info = NULL;
    r = send_now(&probe);
    if (r < 0)
        return r;
    if (s->info)
        memcpy(&info, s->info, sizeof(info));
    info.si_signo = s->signo;
    switch (achi_signal_push(&info, s->tid)) {
    case ACHI_PUSHED:
        achi_signals_settle();
        return 0;
    case ACHI_PUSHED_BEFORE:
        return 0;
    default:
        return send_now(s);
    }
}

/* A line of /proc/PID/status that has a set of signals. */
static uint64_t set_of(const char *status, const char *name)
{
    const char *line = strstr(status, name);

    return line ? strtoull(line + strlen(name), NULL, 16) : 0;
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

/* One that blocks the signal ends when it takes it, in its own time. */
static bool would_end(pid_t pid, int signo)
{
    uint64_t bit = 1ull << (signo - 1), safe;
    char text[STATUS_MAX];

    if (!ends_by_default(signo) || !achi_inside_read(pid, "status", text, sizeof(text)))
        return false;
    safe = set_of(text, "\nSigBlk:") | set_of(text, "\nSigIgn:") | set_of(text, "\nSigCgt:");
    return signo == SIGKILL || !(safe & bit);
}

/* The processes that a signal is for, and descriptors of those that it ends. */
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
        achi_refuse("kill: a signal to a group of more than 64 processes", "send it to each");
        return;
    }
    t->pids[t->n++] = pid;
    fd = pid != achi_sim_pid() && would_end(pid, signo) ? (int)achi_raw3(SYS_pidfd_open, pid, 0, 0)
                                                        : -1;
    if (fd >= 0)
        t->ends[t->n_ends++] = (struct pollfd){.fd = fd, .events = POLLIN};
}

/* group 0: that of this process. Of all processes, 1, those of this process's group are noticed. */
static void add_group(struct targets *t, pid_t group, int signo)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;

    if (group <= 1)
        group = getpgid(0);
    while (dir && (e = readdir(dir))) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10);

        if (isdigit((unsigned char)e->d_name[0]) && achi_inside_kin(pid).group == group)
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
    achi_inside_read(achi_sim_pid(), what, text, sizeof(text));
    line = strstr(text, "\nPid:");
    return line ? (pid_t)strtol(line + 5, NULL, 10) : 0;
}

static void find_targets(struct targets *t, const struct achi_sent *s)
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
            achi_raw5(SYS_ppoll, &t->ends[i], 1, &limit, NULL, 0);
        achi_raw3(SYS_close, t->ends[i].fd, 0, 0);
    }
}

/* The coordinator stops processes and lets them go on by these signals. */
static void check_stop(const struct targets *t, int signo)
{
    unsigned i;

    for (i = 0; i < t->n && (signo == SIGSTOP || signo == SIGTSTP); i++)
        if (achi_inside_process(t->pids[i]))
            achi_refuse("stop: a signal that stops a process of the simulation",
                        "let it wait for a message");
}

/*
 * To another process, or several, perhaps with this one among them. Handlers run when all others
 * have been told.
 */
static long send_outside(const struct achi_sent *s)
{
    struct targets t;
    sigset_t all, mask;
    unsigned i;
    long r;

    achi_signal_fill(&all);
    achi_signal_mask(SIG_SETMASK, &all, &mask);
    achi_sim_critical();
    achi_sim_hold();
    find_targets(&t, s);
    check_stop(&t, s->signo);
    r = send_now(s);
    await_ends(&t, r >= 0);
    achi_sim_release();
    for (i = 0; i < t.n && r >= 0; i++)
        achi_sim_post(achi_event_signal(t.pids[i]));
    achi_sim_uncritical();
    achi_signal_mask(SIG_SETMASK, &mask, NULL);
    return r;
}

/* 0 only asks; some are the C library's own. */
static bool is_signal(int signo)
{
    return (signo > 0 && signo < 32) || (signo >= SIGRTMIN && signo < NSIG);
}

long achi_send(const struct achi_sent *s)
{
    bool own = s->pid == achi_sim_pid();

    if (!achi_sim_free() || !is_signal(s->signo) ||
        (own && (s->tid ? s->tid == achi_sim_tid() : achi_threads() == 1)))
        return send_now(s);
    achi_local_post_pending();
    achi_sim_act();
    return own ? send_inside(s) : send_outside(s);
}

long achi_tkill(pid_t tid, int signo)
{
    pid_t pid = achi_sim_pid();

    if (achi_raw3(SYS_tgkill, pid, tid, 0) != 0)
        return achi_raw3(SYS_tkill, tid, signo, 0);
    return achi_send(&(struct achi_sent){.pid = pid, .tid = tid, .signo = signo});
}

EXPORT int kill(pid_t pid, int signo)
{
    return (int)achi_result(achi_send(&(struct achi_sent){.pid = pid, .signo = signo}));
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
    return (int)achi_result(achi_send(&(struct achi_sent){.pid = pid, .tid = tid, .signo = signo}));
}

static void set_value(siginfo_t *info, int signo, union sigval value)
{
    memset(info, 0, sizeof(*info));
    info->si_signo = signo;
    info->si_code = SI_QUEUE;
    info->si_pid = achi_sim_pid();
    info->si_uid = getuid();
    info->si_value = value;
}

EXPORT int sigqueue(pid_t pid, int signo, const union sigval value)
{
    siginfo_t info;

    set_value(&info, signo, value);
    return (int)achi_result(
        achi_send(&(struct achi_sent){.pid = pid, .signo = signo, .info = &info}));
}

/* 0: it is this one, is not known, or the signal is no concern of ours. */
static pid_t other_thread(pthread_t thread, int signo)
{
    return achi_sim_free() && is_signal(signo) && !pthread_equal(thread, pthread_self())
               ? achi_thread_id(thread)
               : 0;
}

EXPORT int pthread_kill(pthread_t thread, int signo)
{
    pid_t tid = other_thread(thread, signo);

    if (!tid)
        return REAL(pthread_kill)(thread, signo);
    return (int)-achi_send(&(struct achi_sent){.pid = achi_sim_pid(), .tid = tid, .signo = signo});
}

EXPORT int pthread_sigqueue(pthread_t thread, int signo, const union sigval value)
{
    pid_t tid = other_thread(thread, signo);
    siginfo_t info;

    if (!tid)
        return REAL(pthread_sigqueue)(thread, signo, value);
    set_value(&info, signo, value);
    return (int)-achi_send(
        &(struct achi_sent){.pid = achi_sim_pid(), .tid = tid, .signo = signo, .info = &info});
}

EXPORT int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags);

/* Since glibc 2.36. */
EXPORT int pidfd_send_signal(int fd, int signo, siginfo_t *info, unsigned flags)
{
    return (int)achi_result(achi_send(&(struct achi_sent){
        .pidfd = true, .fd = fd, .signo = signo, .info = info, .flags = flags}));
}
