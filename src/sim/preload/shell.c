/* SPDX-License-Identifier: BSD-3-Clause */
/* shell.c - shells that the C library would wait for in real time: system and pclose */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counter.h"
#include "preload.h"

static void run_shell(const char *command, const sigset_t *mask)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    execl("/bin/sh", "sh", "-c", command, NULL);
    _exit(127);
}

EXPORT int system(const char *command)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction old[2];
    sigset_t child, mask;
    int status = -1;
    pid_t pid;

    if (!simc_free())
        return SIMP_COUNTER_SHOWN(REAL(system)(command));
    if (!command) /* is there a shell? */
        return system("exit 0") == 0;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &mask);
    pid = fork();
    if (pid == 0)
        run_shell(command, &mask);
    sigaction(SIGINT, &ignore, &old[0]);
    sigaction(SIGQUIT, &ignore, &old[1]);
    if (pid > 0 && waitpid(pid, &status, 0) != pid)
        status = -1;
    sigaction(SIGINT, &old[0], NULL);
    sigaction(SIGQUIT, &old[1], NULL);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return status;
}

/* glibc stores the shell's pid after the FILE, behind a pointer. */
static pid_t shell_of(const FILE *f)
{
    pid_t pid;

    /* NOLINTNEXTLINE(cert-fio38-c,misc-non-copyable-objects): the size, not the object */
    memcpy(&pid, (const char *)f + sizeof(*f) + sizeof(void *), sizeof(pid));
    return pid;
}

/*
 * The C library would wait for the shell in real time. So close the pipe first, by replacing its
 * descriptor with /dev/null, and wait for the shell in virtual time.
 */
EXPORT int pclose(FILE *f)
{
    int null;

    if (!simc_free())
        return REAL(pclose)(f);
    fflush(f);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0) {
        dup3(null, fileno(f), O_CLOEXEC);
        syscall(SYS_close, null);
        waitid(P_PID, (id_t)shell_of(f), NULL, WEXITED | WNOWAIT);
    }
    return REAL(pclose)(f);
}
