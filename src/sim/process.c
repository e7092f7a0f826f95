/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process.c - one process of a controller: is it a descendant? Stop and continue it
 *
 * Other processes may write to the channel of notes, and a pid may be reused. So only threads of
 * descendants of the coordinator become sinks, and signals go through a pidfd.
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

#define GENERATIONS 1000 /* of ancestors that are searched for the coordinator */
#define WRITE_NAP 10000
#define WRITE_LOOKS 1000 /* retries until a process has put its note */
#define STOP_LOOKS 1000  /* polls until a process on another core has stopped */
#define STOP_NAP 5000
#define NAP_MAX 1000000

void sim_process_nap(int64_t *length)
{
    const struct timespec t = {0, (long)*length};

    nanosleep(&t, NULL);
    *length = 2 * *length < NAP_MAX ? 2 * *length : NAP_MAX;
}

pid_t sim_process_parent(pid_t pid)
{
    char text[SIM_STAT_SIZE];
    int parent;

    sim_proc_stat(pid, pid, text);
    return sscanf(text, " %*c %d", &parent) == 1 ? parent : 0;
}

/* Orphans are children of the coordinator, which is their subreaper. */
static bool comes_from_us(pid_t pid)
{
    int i;

    for (i = 0; i < GENERATIONS && pid > 1; i++) {
        pid = sim_process_parent(pid);
        if (pid == getpid())
            return true;
    }
    return false;
}

int sim_process_open(pid_t pid)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0), another, error;

    if (fd >= 0 && comes_from_us(pid)) /* checked after the open: the pid cannot be reused now */
        return fd;
    if (fd >= 0) {
        another = dup(fd); /* its ancestors cannot be read without a descriptor */
        error = another < 0 ? errno : ECHILD;
        if (another >= 0)
            close(another);
        close(fd);
        errno = error;
    }
    return -1;
}

static bool send(const struct sim_sink *k, int sig)
{
    return syscall(SYS_pidfd_send_signal, k->pidfd, sig, NULL, 0) == 0;
}

static void stop(struct sim_sim *s, const struct sim_sink *k)
{
    int64_t nap = STOP_NAP; /* it may need our core to stop */
    int i;

    send(k, SIGSTOP);
    for (i = 0; s->parallel && i < STOP_LOOKS && strchr("RSD", sim_sink_state(k)); i++)
        sim_process_nap(&nap);
}

static bool writes_note(const struct sim_sim *s, pid_t pid)
{
    pid_t writer = sim_channel_writer(&s->note);

    return writer && syscall(SYS_tgkill, pid, writer, 0) == 0;
}

/*
 * On another core, wait until it has stopped, so that its CPU time is final; on the coordinator's
 * own core it does not run anyway. A process that is stopped while it puts a note would block all
 * other sinks: a thread that says HELLO has no slot on the board yet.
 */
void sim_process_stop(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_sink *other;
    int64_t nap = WRITE_NAP;
    int i;

    if (!send(k, 0))
        return;
    stop(s, k);
    for (i = 0; i < WRITE_LOOKS && writes_note(s, k->pid); i++) {
        send(k, SIGCONT);
        sim_process_nap(&nap);
        stop(s, k);
    }
    for (other = s->sinks; other; other = other->next) {
        if (other->pid == k->pid) {
            other->stopped = true;
            other->running = false;
        }
    }
}

void sim_process_continue(struct sim_sim *s, struct sim_sink *k)
{
    struct sim_sink *other;

    if (!k->stopped || !send(k, SIGCONT))
        return;
    for (other = s->sinks; other; other = other->next)
        if (other->pid == k->pid)
            other->stopped = false;
}
