/* SPDX-License-Identifier: BSD-3-Clause */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

#define END_LOOKS 400 /* of 20 ms */
#define REMOVE_DEPTH 8

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    remove(path);
    return 0;
}

static void remove_directory(const char *path)
{
    nftw(path, remove_one, REMOVE_DEPTH, FTW_DEPTH | FTW_PHYS);
}

static pid_t start(int (*fun)(void), const sigset_t *old_mask)
{
    pid_t parent = getpid(), pid;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        setpgid(0, 0);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(1);
        sigprocmask(SIG_SETMASK, old_mask, NULL);
        exit(fun());
    }
    if (pid > 0)
        setpgid(pid, pid);
    return pid;
}

/* Ask the benchmark to end, so that it can end its daemons; then nobody is asked. */
static void end_all(pid_t child, bool running)
{
    const struct timespec pause = {.tv_nsec = 20000000};
    int i;

    if (running)
        kill(child, SIGTERM);
    for (i = 0; i < END_LOOKS && running; i++) {
        running = waitpid(child, NULL, WNOHANG) == 0;
        nanosleep(&pause, NULL);
    }
    kill(-child, SIGKILL);
    while (wait(NULL) > 0)
        continue;
}

static int exit_status(int sig, int status)
{
    if (sig == SIGALRM)
        fputs("bench: took too long\n", stderr);
    else if (sig != SIGCHLD)
        return 128 + sig;
    else if (WIFEXITED(status))
        return WEXITSTATUS(status);
    else
        fprintf(stderr, "bench: ended by signal %d\n", WTERMSIG(status));
    return 1;
}

int supervise(int (*fun)(void), unsigned limit_seconds)
{
    static const int ends[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGALRM};
    const char *within = getenv("ACH_DIR"); /* a test's, which removes it should we be killed */
    sigset_t signals, old_mask;
    int sig, status = 0;
    char dir[256];
    pid_t child;
    unsigned i;

    sigemptyset(&signals);
    for (i = 0; i < ARRAY_SIZE(ends); i++)
        sigaddset(&signals, ends[i]);
    sigprocmask(SIG_BLOCK, &signals, &old_mask);
    snprintf(dir, sizeof(dir), "%s/achbench.XXXXXX", within ? within : "/dev/shm");
    if (!mkdtemp(dir)) {
        fprintf(stderr, "bench: no directory for channels, %s: %m\n", dir);
        return 1;
    }
    setenv("ACH_DIR", dir, 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    child = start(fun, &old_mask);
    if (child < 0) {
        perror("bench: fork");
        rmdir(dir);
        return 1;
    }
    alarm(limit_seconds);
    do
        sig = sigwaitinfo(&signals, NULL);
    while (sig < 0 || (sig == SIGCHLD && waitpid(child, &status, WNOHANG) != child));
    end_all(child, sig != SIGCHLD);
    remove_directory(dir);
    return exit_status(sig, status);
}
