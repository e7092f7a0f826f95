/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reaper.c - a process that kills the controllers when the coordinator was killed
 *
 * The kernel kills processes with the client library (client/parent_death.c) and the
 * coordinator's direct children (PR_SET_PDEATHSIG). For others, such as statically linked
 * programs started by a controller, the reaper waits until the write end of a pipe is closed, then
 * kills all processes with this simulation in their environment. A coordinator that exits normally
 * kills the reaper.
 *
 * The reaper is started before any channel is opened: a mapping that it inherited would keep the
 * locks of the coordinator's channels.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim.h"

#define ENVIRONMENT_MAX (1u << 20)
#define ROUNDS 100 /* scans of /proc: a process may fork between two scans */
#define NAP 10000000L

struct reaper {
    char name[SIM_NAME_MAX + 16], pid[32]; /* as in the environment: VARIABLE=VALUE */
    char *text;
};

static size_t read_environment(struct reaper *k, const char *pid)
{
    char path[64];
    size_t size = 0;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%.20s/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    while (size < ENVIRONMENT_MAX && (n = read(fd, k->text + size, ENVIRONMENT_MAX - size)) > 0)
        size += (size_t)n;
    close(fd);
    return size;
}

static bool has(const char *text, size_t size, const char *word)
{
    size_t length = strlen(word) + 1; /* with its NUL */
    const char *p = text, *end = text + size;

    while (p < end && ((size_t)(end - p) < length || memcmp(p, word, length) != 0))
        p += strnlen(p, (size_t)(end - p)) + 1;
    return p < end;
}

/* The pidfd is opened first: the pid may be reused before the signal is sent. */
static bool end_one(struct reaper *k, const char *pid)
{
    int fd = (int)syscall(SYS_pidfd_open, strtol(pid, NULL, 10), 0);
    size_t size = fd >= 0 ? read_environment(k, pid) : 0;
    bool ended = has(k->text, size, k->name) && has(k->text, size, k->pid) &&
                 syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0;

    if (fd >= 0)
        close(fd);
    return ended;
}

/* Returns how many processes were killed. */
static unsigned end_all(struct reaper *k)
{
    DIR *dir = opendir("/proc");
    const struct dirent *e;
    unsigned count = 0;

    while (dir && (e = readdir(dir))) {
        if (isdigit((unsigned char)e->d_name[0]))
            count += end_one(k, e->d_name);
    }
    if (dir)
        closedir(dir);
    return count;
}

static void reap(struct reaper *k, int fd)
{
    const struct timespec nap = {0, NAP};
    char c;
    int i;

    while (read(fd, &c, 1) < 0 && errno == EINTR)
        continue;
    for (i = 0; i < ROUNDS && end_all(k); i++)
        nanosleep(&nap, NULL);
    _exit(0);
}

/* Close all descriptors of the coordinator except the pipe. */
static void reaper_become(int fd)
{
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (dup2(fd, 0) == 0)
        close_range(1, ~0u, 0);
}

bool sim_reaper_start(struct sim_sim *s)
{
    struct reaper k = {.text = malloc(ENVIRONMENT_MAX)};
    int fds[2];
    pid_t pid;

    if (!k.text || pipe2(fds, O_CLOEXEC) != 0) {
        free(k.text);
        return sim_fail(s, "no pipe: %s", strerror(errno));
    }
    snprintf(k.name, sizeof(k.name), "ACH_SIM=%s", s->plan->name);
    snprintf(k.pid, sizeof(k.pid), "ACH_SIM_PID=%d", (int)getpid());
    pid = fork();
    if (pid == 0) {
        reaper_become(fds[0]);
        reap(&k, 0);
    }
    free(k.text);
    close(fds[0]);
    if (pid > 0)
        return true; /* fds[1] stays open until the coordinator exits */
    close(fds[1]);
    return sim_fail(s, "no process: %s", strerror(errno));
}
