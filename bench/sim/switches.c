/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * switches.c - what a pair of context switches costs, with nothing else
 *
 * usage: switches CORE COUNT
 *
 * Two processes on one core wake each other in turn, by futex and then by pipe. Prints what
 * there and back takes, in ns: the median of ten parts, of each.
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

static _Atomic uint32_t *word; /* shared: whose turn it is */
static int there[2], back[2];  /* pipes */

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

static void pass(uint32_t to)
{
    atomic_store(word, to);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    while (atomic_load(word) == to)
        syscall(SYS_futex, word, FUTEX_WAIT, to, NULL, NULL, 0);
}

static void by_futex(void)
{
    pass(1);
}

static void by_pipe(void)
{
    char c = 0;

    if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
        fail("pipe");
}

/* The other process answers for ever. */
static void answer_futex(void)
{
    while (atomic_load(word) == 0)
        syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
    for (;;)
        pass(0);
}

static void answer_pipe(void)
{
    char c;

    while (read(there[0], &c, 1) == 1)
        if (write(back[1], &c, 1) != 1)
            break;
    exit(0);
}

static pid_t start(void (*answer)(void))
{
    pid_t parent = getpid(), pid = fork();

    if (pid < 0)
        fail("fork");
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent)
        answer();
    exit(0);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double measure(void (*answer)(void), void (*once)(void), long count)
{
    double parts[PARTS];
    pid_t pid = start(answer);
    int64_t begin;
    long i;
    int p;

    for (p = 0; p < PARTS; p++) {
        begin = wall();
        for (i = 0; i < count / PARTS; i++)
            once();
        parts[p] = (double)(wall() - begin) / (double)(count / PARTS);
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    qsort(parts, PARTS, sizeof(parts[0]), compare);
    return parts[PARTS / 2];
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
    word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (word == MAP_FAILED || pipe(there) != 0 || pipe(back) != 0)
        fail("memory");
    printf("%.1f", measure(answer_futex, by_futex, count));
    printf(" %.1f\n", measure(answer_pipe, by_pipe, count));
    return 0;
}
