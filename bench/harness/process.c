/* SPDX-License-Identifier: BSD-3-Clause */
/* process.c - attempts, the second process, and what processes share */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"

enum state { PENDING, SUCCEEDED, FAILED };

/* Shared by all processes of an attempt and the one that waits for it. */
struct attempt {
    uint32_t state; /* an enum state; leaves PENDING once */
    pid_t pid;
    char why[256];
};

static struct attempt *current; /* NULL: no attempt is under way */
static uint32_t *ready;

static struct held {
    void (*release)(void *what, size_t size);
    void *what;
    size_t size;
} * held;
unsigned held_count;

static bool decide(struct attempt *a, uint32_t state)
{
    uint32_t pending = PENDING;

    return __atomic_compare_exchange_n(&a->state, &pending, state, false, __ATOMIC_ACQ_REL,
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
    kill(current->pid, SIGKILL);
    _exit(1);
}

/* Returns in case of failure only. */
static const char *watch(pid_t pid, struct attempt *a, unsigned limit_seconds)
{
    static char why[sizeof(a->why)];
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (!decide(a, FAILED) && a->state == SUCCEEDED)
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    if (a->why[0])
        memcpy(why, a->why, sizeof(why));
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        snprintf(why, sizeof(why), "it took more than %u seconds", limit_seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof(why), "ended by signal %d, %s", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof(why), "ended with status %d", WEXITSTATUS(status));
    munmap(a, sizeof(*a));
    return why;
}

static void *shared_map(size_t size)
{
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    MUST_SYS(p != MAP_FAILED);
    return p;
}

const char *attempt(void (*fun)(const void *arg), const void *arg, unsigned limit_seconds)
{
    struct attempt *a = shared_map(sizeof(*a));
    pid_t parent = getpid(), pid;

    fflush(NULL);
    pid = fork();
    MUST_SYS(pid >= 0);
    if (pid > 0)
        return watch(pid, a, limit_seconds);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    a->pid = getpid();
    current = a;
    alarm(limit_seconds);
    fun(arg);
    alarm(0);
    current = NULL;
    if (!decide(a, SUCCEEDED))
        _exit(1);
    return NULL;
}

void hold(void (*release)(void *what, size_t size), void *what, size_t size)
{
    held = realloc(held, (held_count + 1) * sizeof(*held));
    MUST(held != NULL);
    held[held_count++] = (struct held){release, what, size};
}

void release_to(unsigned count)
{
    while (held_count > count) {
        const struct held *last = &held[--held_count];

        last->release(last->what, last->size);
    }
}

static void unmap(void *what, size_t size)
{
    munmap(what, size);
}

static void give_back(void *what, size_t size)
{
    (void)size;
    free(what);
}

void *shared_alloc(size_t size)
{
    void *p = shared_map(size);

    hold(unmap, p, size);
    return p;
}

void *private_alloc(size_t size)
{
    void *p = NULL;

    MUST(posix_memalign(&p, 4096, size) == 0);
    memset(p, 1, size);
    hold(give_back, p, 0);
    return p;
}

void peer_ready(void)
{
    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
}

pid_t peer_start(void (*fun)(void *), void *arg)
{
    pid_t parent = getpid(), pid;

    if (!ready)
        ready = shared_map(sizeof(*ready));
    *ready = 0;
    fflush(NULL);
    pid = fork();
    MUST_SYS(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        machine_pin(bench.machine.peer_cpu);
        fun(arg);
        _exit(0);
    }
    while (!__atomic_load_n(ready, __ATOMIC_ACQUIRE)) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            attempt_fail("the second process ended before it was ready");
        usleep(50);
    }
    return pid;
}

void peer_join(pid_t pid)
{
    int status = 0;

    MUST_SYS(waitpid(pid, &status, 0) == pid);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        attempt_fail("the second process failed, wait status %#x", (unsigned)status);
}

void peer_kill(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
