/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.c - the second process, how to slow processes down, and what they share */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define STOPPED_NS 1500000l
#define RUNNING_NS 700000l

static uint32_t *ready;

void must_ach(enum ach_status status, const char *what)
{
    if (status != ACH_OK && status != ACH_MISSED_FRAME)
        attempt_fail("%s: %s %s", what, ach_result_to_string(status), ach_errstr());
}

void must_sys(bool ok, const char *what)
{
    if (!ok)
        attempt_fail("%s: %m", what);
}

void must(bool ok, const char *what)
{
    if (!ok)
        attempt_fail("not true: %s", what);
}

void *shared_alloc(size_t size)
{
    void *p =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    MUST_SYS(p != MAP_FAILED);
    return p;
}

void shared_free(void *memory, size_t size)
{
    munmap(memory, size);
}

void *private_alloc(size_t size)
{
    void *p = NULL;

    MUST(posix_memalign(&p, 4096, size) == 0);
    memset(p, 1, size);
    return p;
}

static void hold(pid_t target)
{
    const struct timespec stopped = {.tv_nsec = STOPPED_NS}, running = {.tv_nsec = RUNNING_NS};

    while (getppid() == target) {
        kill(target, SIGSTOP);
        nanosleep(&stopped, NULL);
        kill(target, SIGCONT);
        nanosleep(&running, NULL);
    }
}

void brake_start(void)
{
    pid_t target = getpid(), pid = fork();

    MUST_SYS(pid >= 0);
    if (pid > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    hold(target);
    _exit(0);
}

void peer_ready(void)
{
    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
}

pid_t peer_start(void (*fun)(void *), void *arg)
{
    pid_t parent = getpid(), pid;

    if (!ready)
        ready = shared_alloc(sizeof(*ready));
    *ready = 0;
    fflush(NULL);
    pid = fork();
    MUST_SYS(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        machine_pin(bench.machine.peer_cpu);
        if (bench.slow_peer)
            brake_start();
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
