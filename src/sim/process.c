/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - one process of a controller: is it ours, stopped, continued, ended
 *
 * Notes come through a channel that others may write as well, and the number of a process that
 * has ended may be another one's. So a process is a sink only if it comes from us, and signals
 * go through a descriptor, which means that process and no other.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"
#include "writer.h"

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define GENERATIONS 1000       /* from us to a process */
#define END_LIMIT 2000000000LL /* wall time from a bye to the end */
#define END_NAP 20000L
#define WRITE_NAP 10000L
#define WRITE_LOOKS 1000 /* until a process has put its note */
#define STOP_LOOKS 10000 /* until a process on another core has stopped */
#define STOP_NAP 5000L

pid_t achi_process_parent(pid_t pid)
{
    char text[ACHI_STAT_SIZE];
    int parent;

    achi_proc_stat(pid, pid, text);
    return sscanf(text, " %*c %d", &parent) == 1 ? parent : 0;
}

/* A process whose parent has ended is our child: we are the subreaper of all of them. */
static bool comes_from_us(pid_t pid)
{
    int i;

    for (i = 0; i < GENERATIONS && pid > 1; i++) {
        pid = achi_process_parent(pid);
        if (pid == getpid())
            return true;
    }
    return false;
}

int achi_process_open(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);

    if (fd >= 0 && comes_from_us(pid)) /* after it was opened: that is the process we mean */
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool send(const struct achi_sink *k, int sig)
{
    return syscall(SYS_pidfd_send_signal, k->pidfd, sig, NULL, 0) == 0;
}

void achi_process_forget(struct achi_sim *s, pid_t pid)
{
    struct achi_sink *k = s->sinks;

    while (k) {
        struct achi_sink *next = k->next;

        if (k->pid == pid)
            achi_turn_leave(s, k);
        k = next;
    }
}

/* A zombie that still has threads cannot be waited for yet. */
static bool lives(pid_t pid)
{
    char text[ACHI_STAT_SIZE], state;
    int threads;

    achi_proc_stat(pid, pid, text);
    return sscanf(text, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
                  &state, &threads) == 2 &&
           (state != 'Z' || threads > 1);
}

/*
 * Somebody may wait for its end, which only the kernel sees: it comes before time goes on, so
 * that the wait takes as long in each run.
 */
void achi_process_ends(struct achi_sim *s, pid_t pid)
{
    int64_t until = achi_wall() + END_LIMIT, time = s->now;
    const struct timespec t = {0, END_NAP};
    pid_t parent = achi_process_parent(pid);
    const struct achi_sink *k;

    for (k = s->sinks; k; k = k->next)
        if (k->pid == pid && k->time > time)
            time = k->time;
    achi_process_forget(s, pid);
    while (lives(pid) && achi_wall() < until)
        nanosleep(&t, NULL);
    achi_happen_signal(s, parent, time); /* SIGCHLD */
}

static void stop(struct achi_sim *s, const struct achi_sink *k)
{
    const struct timespec t = {0, STOP_NAP}; /* it may need our core to stop */
    int i;

    send(k, SIGSTOP);
    for (i = 0; s->parallel && i < STOP_LOOKS && strchr("RSD", achi_sink_state(k)); i++)
        nanosleep(&t, NULL);
}

static bool writes_note(const struct achi_sim *s, pid_t pid)
{
    pid_t writer = achi_channel_writer(&s->note);

    return writer && syscall(SYS_tgkill, pid, writer, 0) == 0;
}

/*
 * On our own core it does not run while we do. On another one it is waited for, so
 * that its CPU time stands. In the midst of a note it would keep all others from theirs: a thread
 * that says hello has no place on the board yet.
 */
void achi_process_stop(struct achi_sim *s, struct achi_sink *k)
{
    const struct timespec t = {0, WRITE_NAP};
    struct achi_sink *other;
    int i;

    if (!send(k, 0))
        return;
    stop(s, k);
    for (i = 0; i < WRITE_LOOKS && writes_note(s, k->pid); i++) {
        send(k, SIGCONT);
        nanosleep(&t, NULL);
        stop(s, k);
    }
    for (other = s->sinks; other; other = other->next) {
        if (other->pid == k->pid) {
            other->stopped = true;
            other->running = false;
        }
    }
}

void achi_process_continue(struct achi_sim *s, struct achi_sink *k)
{
    struct achi_sink *other;

    if (!k->stopped || !send(k, SIGCONT))
        return;
    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid)
            other->stopped = false;
}
