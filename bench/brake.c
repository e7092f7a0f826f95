/* SPDX-License-Identifier: BSD-3-Clause */
#include "brake.h"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "peer.h"

#define STOPPED_NS 1500000l
#define RUNNING_NS 700000l

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
