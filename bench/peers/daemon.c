/* SPDX-License-Identifier: BSD-3-Clause */
#include "daemon.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define START_LOOKS 6000 /* about a minute */
#define STOP_LOOKS 500

static void pause_briefly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static _Noreturn void run(const char *const argv[], const char *log, pid_t parent)
{
    int in = open("/dev/null", O_RDONLY);
    int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() == parent && dup2(in, 0) >= 0 && dup2(out, 1) >= 0 && dup2(out, 2) >= 0)
        execvp(argv[0], (char *const *)argv);
    _exit(127);
}

bool daemon_says(const char *log, const char *words)
{
    FILE *f = fopen(log, "re");
    char line[512];
    bool found = false;

    while (f && !found && fgets(line, sizeof(line), f))
        found = strstr(line, words);
    if (f)
        fclose(f);
    return found;
}

typedef int attach(int, const struct sockaddr *, socklen_t);

/* Bind to, or connect to, a port. Returns it, or the one that the kernel found for 0. 0: failed. */
static uint16_t try_port(uint16_t port, attach *bind_or_connect)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = bind_or_connect(fd, (struct sockaddr *)&at, length) == 0 &&
              (port || getsockname(fd, (struct sockaddr *)&at, &length) == 0);

    close(fd);
    return ok ? ntohs(at.sin_port) : 0;
}

uint16_t daemon_port(void)
{
    return try_port(0, bind);
}

pid_t daemon_start(const char *const argv[], const char *log, const char *ready, uint16_t port)
{
    pid_t parent = getpid(), pid = fork();
    int i;

    if (pid == 0)
        run(argv, log, parent);
    for (i = 0; pid > 0 && i < START_LOOKS; i++) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return 0;
        if (ready ? daemon_says(log, ready) : try_port(port, connect) != 0)
            return pid;
        pause_briefly();
    }
    if (pid > 0)
        daemon_stop(pid);
    return 0;
}

bool daemon_stop(pid_t pid)
{
    int i, status = -1;

    kill(pid, SIGTERM);
    for (i = 0; i < STOP_LOOKS; i++) {
        if (waitpid(pid, &status, WNOHANG) != 0)
            return status == 0;
        pause_briefly();
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return false;
}
