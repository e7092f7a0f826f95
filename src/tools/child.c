/* SPDX-License-Identifier: BSD-3-Clause */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A child in a background process group would be stopped (SIGTTIN) on reading the terminal. */
static bool replace_terminal(void)
{
    int fd;

    if (!isatty(STDIN_FILENO))
        return true;
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0 && dup2(fd, STDIN_FILENO) >= 0;
}

static bool redirect(const struct cop_options *options)
{
    return (options->out_fd < 0 || dup2(options->out_fd, STDOUT_FILENO) >= 0) &&
           (options->err_fd < 0 || dup2(options->err_fd, STDERR_FILENO) >= 0);
}

/* If the parent died before the prctl, no signal is sent: check getppid. */
static bool tie_to(pid_t parent)
{
    return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent;
}

/* In the child: exec the command, or report errno to the parent. */
__attribute__((noreturn)) static void become(const struct cop_options *options,
                                             const sigset_t *mask, pid_t parent, int report)
{
    int error;

    setpgid(0, 0);
    if ((!options->tie || tie_to(parent)) && replace_terminal() && redirect(options) &&
        setenv("ACHCOP", "1", 1) == 0) {
        sigprocmask(SIG_SETMASK, mask, NULL);
        execvp(options->command[0], options->command);
    }
    error = errno;
    if (write(report, &error, sizeof(error)) != sizeof(error))
        _exit(126);
    _exit(127);
}

/* The pipe has no data if exec succeeded, which closes it. */
static pid_t await_exec(pid_t pid, int report)
{
    int error;
    ssize_t n;

    do
        n = read(report, &error, sizeof(error));
    while (n < 0 && errno == EINTR);
    if (n != sizeof(error))
        return pid;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = error;
    return 0;
}

pid_t child_start(const struct cop_options *options, const sigset_t *mask)
{
    pid_t parent = getpid(), pid;
    int report[2], saved;

    if (pipe2(report, O_CLOEXEC) != 0)
        return 0;
    pid = fork();
    if (pid == 0)
        become(options, mask, parent, report[1]);
    saved = errno;
    close(report[1]);
    errno = saved;
    if (pid > 0) {
        setpgid(pid, pid);
        pid = await_exec(pid, report[0]);
    } else {
        pid = 0;
    }
    saved = errno;
    close(report[0]);
    errno = saved;
    return pid;
}

bool child_reap(pid_t child, bool spare, int *status)
{
    bool ended = false;

    for (;;) {
        siginfo_t info = {0};

        /* WNOWAIT: until the child is reaped, its pid and process group cannot be reused. */
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
            return ended;
        if (info.si_pid != child) {
            waitpid(info.si_pid, NULL, WNOHANG);
            continue;
        }
        if (!spare || info.si_code != CLD_EXITED || info.si_status != 0)
            kill(-child, SIGKILL);
        waitpid(child, status, 0);
        ended = true;
    }
}

int child_exit_status(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
