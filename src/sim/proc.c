/* SPDX-License-Identifier: BSD-3-Clause */
/* proc.c - a thread in /proc: its clocks, its state, where it sleeps */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim.h"

int sim_proc_open(pid_t pid, pid_t tid, const char *what)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid, what);
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* The kernel updates schedstat when the thread leaves the processor. */
void sim_sink_clocks(const struct sim_sink *k, struct sim_clocks *c)
{
    char text[64], *end;
    ssize_t n = pread(k->clock_fd, text, sizeof(text) - 1, 0);

    c->cpu = k->cpu;
    c->delay = k->delay;
    if (n <= 0)
        return;
    text[n] = 0;
    c->cpu = strtoll(text, &end, 10);
    c->delay = strtoll(end, NULL, 10);
}

int64_t sim_sink_cpu(const struct sim_sink *k)
{
    struct sim_clocks c;

    sim_sink_clocks(k, &c);
    return c.cpu;
}

static void read_proc(pid_t pid, pid_t tid, const char *what, char *text, size_t size)
{
    int fd = sim_proc_open(pid, tid, what);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
}

void sim_proc_stat(pid_t pid, pid_t tid, char text[SIM_STAT_SIZE])
{
    char *end;

    read_proc(pid, tid, "stat", text, SIM_STAT_SIZE);
    end = strrchr(text, ')'); /* the command name may contain any character */
    memmove(text, end ? end + 1 : "", end ? strlen(end) : 1);
}

static char state_of(pid_t pid, pid_t tid)
{
    char text[SIM_STAT_SIZE];

    sim_proc_stat(pid, tid, text);
    return text[0] && text[1] ? text[1] : 'X';
}

char sim_sink_state(const struct sim_sink *k)
{
    return state_of(k->pid, k->tid);
}

/* Where in the kernel a thread sleeps, and the file that its system call probably works on. */
const char *sim_sink_place(const struct sim_sink *k, char text[SIM_PLACE_SIZE])
{
    char where[64], call[64], path[64], file[128];
    unsigned long argument;
    ssize_t n = 0;
    long number;

    read_proc(k->pid, k->tid, "wchan", where, sizeof(where));
    read_proc(k->pid, k->tid, "syscall", call, sizeof(call));
    if (sscanf(call, "%ld 0x%lx", &number, &argument) == 2 && argument < INT_MAX) {
        snprintf(path, sizeof(path), "/proc/%d/fd/%lu", (int)k->pid, argument);
        n = readlink(path, file, sizeof(file) - 1);
    }
    file[n > 0 ? n : 0] = 0;
    snprintf(text, SIM_PLACE_SIZE, "thread %d%s%s%s%s", (int)k->tid,
             where[0] && where[0] != '0' ? " in " : "", where[0] != '0' ? where : "",
             file[0] ? ", perhaps for " : "", file);
    return text;
}

/* Checks all threads, also those that are no sinks. */
bool sim_sinks_rest(pid_t pid)
{
    const struct dirent *e;
    bool rest = true;
    char path[32];
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && rest && (e = readdir(dir)))
        if (isdigit((unsigned char)e->d_name[0]))
            rest = !strchr("RD", state_of(pid, (pid_t)strtol(e->d_name, NULL, 10)));
    if (dir)
        closedir(dir);
    return rest;
}

/* 'X' also means that /proc could not be read, as with no descriptors left: ask tgkill too. */
bool sim_sink_dead(const struct sim_sink *k)
{
    char state = sim_sink_state(k);

    return state == 'Z' ||
           (state == 'X' && syscall(SYS_tgkill, k->pid, k->tid, 0) != 0 && errno == ESRCH);
}

/* Also true if it was stopped by another process than the coordinator. */
bool sim_sink_asleep(const struct sim_sink *k)
{
    char state = sim_sink_state(k);

    return state == 'S' || state == 'D' || (!k->stopped && (state == 'T' || state == 't'));
}
