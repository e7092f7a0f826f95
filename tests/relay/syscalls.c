/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * syscalls.c - count the system calls of a process
 *
 * syscalls PID: writes a line when it has begun, and the number of calls of the first thread after
 * SIGTERM. Exits with 77 if it may not trace the process.
 */
#include <sys/ptrace.h>

#include "check.h"

static volatile sig_atomic_t quit;

static void on_term(int sig)
{
    (void)sig;
    quit = 1;
}

/* The kernel stops the process where a call begins and where it ends. */
static uint64_t count(pid_t pid)
{
    uint64_t stops = 0;
    int status;

    while (!quit) {
        if (waitpid(pid, &status, 0) != pid)
            continue;
        REQUIRE(WIFSTOPPED(status));
        if (WSTOPSIG(status) == (SIGTRAP | 0x80))
            stops++;
        REQUIRE(ptrace(PTRACE_SYSCALL, pid, 0, 0) == 0);
    }
    return stops / 2;
}

/* When this process exits, the kernel releases the other one. */
int main(int argc, char **argv)
{
    const struct sigaction term = {.sa_handler = on_term};
    pid_t pid;

    REQUIRE(argc == 2);
    pid = (pid_t)strtol(argv[1], NULL, 10);
    sigaction(SIGTERM, &term, NULL);
    if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESYSGOOD) != 0)
        check_skip("this process may not trace others");
    REQUIRE(ptrace(PTRACE_INTERRUPT, pid, 0, 0) == 0);
    puts("begun");
    fflush(stdout);
    printf("%llu\n", (unsigned long long)count(pid));
    return check_result();
}
