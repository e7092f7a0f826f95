/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * keeper.c - what becomes of controllers when the coordinator is killed
 *
 * The kernel ends all that have the client library then (client/life.c), and children of the
 * coordinator itself. For others, as statically linked programs that a controller has started, one
 * more process waits until the other end of a pipe is closed, and ends all that have this
 * simulation in their environment. When the coordinator ends by itself it ends the keeper as well.
 *
 * It is started before any channel is opened: a mapping that it inherits would keep the locks
 * of the coordinator's channels.
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

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

#define ENVIRONMENT_MAX (1u << 20)
#define ROUNDS 100 /* until all are gone, also those that were just being started */
#define NAP 10000000L

struct keeper {
    char name[ACHI_SIM_NAME_MAX + 16], pid[32]; /* as in the environment */
    char *text;
};

static size_t read_environment(struct keeper *k, const char *pid)
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

/* Opened first: the number may be another process's by the time it is ended. */
static bool end_one(struct keeper *k, const char *pid)
{
    int fd = (int)syscall(SYS_pidfd_open, strtol(pid, NULL, 10), 0);
    size_t size = fd >= 0 ? read_environment(k, pid) : 0;
    bool ended = has(k->text, size, k->name) && has(k->text, size, k->pid) &&
                 syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) == 0;

    if (fd >= 0)
        close(fd);
    return ended;
}

/* How many there were. */
static unsigned end_all(struct keeper *k)
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

static void keep(struct keeper *k, int fd)
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

/* Nothing of the coordinator stays open in it. */
static void become(int fd)
{
    setsid();
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (dup2(fd, 0) == 0)
        close_range(1, ~0u, 0);
}

bool achi_keeper_start(struct achi_sim *s)
{
    struct keeper k = {.text = malloc(ENVIRONMENT_MAX)};
    int fds[2];
    pid_t pid;

    if (!k.text || pipe2(fds, O_CLOEXEC) != 0) {
        free(k.text);
        return achi_sim_fail(s, "no pipe: %s", strerror(errno));
    }
    snprintf(k.name, sizeof(k.name), "ACH_SIM=%s", s->plan->name);
    snprintf(k.pid, sizeof(k.pid), "ACH_SIM_PID=%d", (int)getpid());
    pid = fork();
    if (pid == 0) {
        become(fds[0]);
        keep(&k, 0);
    }
    free(k.text);
    close(fds[0]);
    if (pid > 0)
        return true; /* the other end is open as long as we live */
    close(fds[1]);
    return achi_sim_fail(s, "no process: %s", strerror(errno));
}
