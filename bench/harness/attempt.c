/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "ticks.h"

/* Shared by all processes of an attempt and the one that waits for it. */
struct verdict {
    uint32_t state; /* an enum state; leaves PENDING once */
    char why[256];
};

enum state { PENDING, SUCCEEDED, FAILED };

static struct verdict *current; /* NULL: no attempt is under way */
static pid_t current_pid;

static bool decide(struct verdict *v, uint32_t state)
{
    uint32_t pending = PENDING;

    return __atomic_compare_exchange_n(&v->state, &pending, state, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

void attempt_fail(const char *format, ...)
{
    char why[sizeof(current->why)];
    va_list args;

    va_start(args, format);
    vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    if (!current) {
        fprintf(stderr, "bench: %s\n", why);
        exit(1);
    }
    while (!decide(current, FAILED))
        pause(); /* another process was first, and ends this one once its reason is written */
    memcpy(current->why, why, sizeof(why));
    kill(current_pid, SIGKILL);
    _exit(1);
}

static bool wait_until_ended(int pidfd, int ms)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    uint64_t end = clock_ns() + (uint64_t)ms * 1000000u;
    int r;

    while ((r = poll(&p, 1, ms)) < 0 && errno == EINTR)
        ms = clock_ns() < end ? (int)((end - clock_ns()) / 1000000u) : 0;
    return r > 0;
}

static void describe(int status, char *why, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(why, size, "ended by signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, size, "ended with status %d", WEXITSTATUS(status));
}

/* Returns in case of failure only. */
static const char *watch(pid_t pid, struct verdict *v, unsigned limit_seconds)
{
    int status = 0, pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    static char why[sizeof(v->why)];

    if (pidfd >= 0 && !wait_until_ended(pidfd, (int)limit_seconds * 1000) && decide(v, FAILED)) {
        snprintf(v->why, sizeof(v->why), "it took more than %u seconds", limit_seconds);
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (decide(v, FAILED))
        describe(status, v->why, sizeof(v->why));
    else if (v->state == SUCCEEDED)
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    if (pidfd >= 0)
        close(pidfd);
    memcpy(why, v->why, sizeof(why));
    munmap(v, sizeof(*v));
    return why;
}

const char *attempt(void (*fun)(const void *arg), const void *arg, unsigned limit_seconds)
{
    struct verdict *v =
        mmap(NULL, sizeof(*v), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t parent = getpid(), pid;

    if (v == MAP_FAILED)
        return "no memory is left";
    fflush(NULL);
    pid = fork();
    if (pid < 0) {
        munmap(v, sizeof(*v));
        return "no process can be started";
    }
    if (pid > 0)
        return watch(pid, v, limit_seconds);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    current = v;
    current_pid = getpid();
    fun(arg);
    current = NULL;
    if (!decide(v, SUCCEEDED))
        _exit(1);
    return NULL;
}
