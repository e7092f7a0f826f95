/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c - what a pair of context switches costs, with nothing else
 *
 * usage: switches CORE COUNT
 *
 * Two processes on one core wake each other in turn: a line for futexes, then one for pipes. It
 * has what there and back takes, in ns, in each of ten parts of the run.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PARTS 10

/* The sides are 0, which measures, and 1, which answers. */
static _Atomic uint32_t *turn; /* shared: the side that may run */
static int pipes[2][2];        /* to each side */

static void fail(const char *what)
{
    fprintf(stderr, "switches: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t wall(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void futex_wake(uint32_t side)
{
    atomic_store(turn, side);
    syscall(SYS_futex, turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void futex_wait(uint32_t side)
{
    while (atomic_load(turn) != side)
        syscall(SYS_futex, turn, FUTEX_WAIT, !side, NULL, NULL, 0);
}

static void pipe_wake(uint32_t side)
{
    if (write(pipes[side][1], "", 1) != 1)
        fail("pipe");
}

static void pipe_wait(uint32_t side)
{
    char c;

    if (read(pipes[side][0], &c, 1) != 1)
        fail("pipe");
}

static void measure(void (*wake)(uint32_t), void (*wait)(uint32_t), long count)
{
    pid_t parent = getpid(), pid = fork();
    int64_t begin;
    long i;
    int part;

    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            exit(0);
        for (;;) {
            wait(1);
            wake(0);
        }
    }
    for (part = 0; part < PARTS; part++) {
        begin = wall();
        for (i = 0; i < count; i++) {
            wake(1);
            wait(0);
        }
        printf("%.1f ", (double)(wall() - begin) / (double)count);
    }
    printf("\n");
    fflush(stdout); /* before the next fork */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
    long core = argc == 3 ? strtol(argv[1], NULL, 10) : -1;
    long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
    cpu_set_t set;

    if (core < 0 || core >= CPU_SETSIZE || count < PARTS) {
        fprintf(stderr, "switches: usage: switches CORE COUNT\n");
        return 2;
    }
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof(set), &set) != 0)
        fail("core");
    turn = mmap(NULL, sizeof(*turn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (turn == MAP_FAILED || pipe(pipes[0]) != 0 || pipe(pipes[1]) != 0)
        fail("memory");
    measure(futex_wake, futex_wait, count / PARTS);
    measure(pipe_wake, pipe_wait, count / PARTS);
    return 0;
}
