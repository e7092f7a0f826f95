/* SPDX-License-Identifier: BSD-3-Clause */
/* A signal ends ach_evhandle, so that a loop around it can end. */
#include "ach2.h"

#include <ach/experimental.h>
#include <signal.h>
#include <sys/wait.h>

static volatile sig_atomic_t stop;
static int handled;

static void on_signal(int sig)
{
    (void)sig;
    stop = 1;
}

static enum ach_status handle(void *context, struct ach_channel *chan)
{
    size_t size;
    int value;
    enum ach_status r = ach_get(chan, &value, sizeof(value), &size, NULL, ACH_O_LAST);

    (void)context;
    if (r == ACH_OK || r == ACH_MISSED_FRAME) {
        handled = value;
        kill(getppid(), SIGUSR1);
        return ACH_OK;
    }
    return r;
}

static enum ach_status tick(void *context)
{
    ++*(int *)context;
    return ACH_OK;
}

/* The child: returns when SIGTERM came. */
static int run_loop(enum ach_status (*periodic)(void *), int options, int epoll)
{
    struct timespec period = {0, 20000000};
    struct ach_evhandler handlers[2];
    ach_channel_t chans[2];
    int i, ticks = 0;

    signal(SIGTERM, on_signal); /* with SA_RESTART */
    for (i = 0; i < 2; i++) {
        CHECK(ach_open(&chans[i], i ? "stop-b" : "stop-a", NULL) == ACH_OK);
        handlers[i].channel = &chans[i];
        handlers[i].context = NULL;
        handlers[i].handler = handle;
    }
    while (!stop) {
        enum ach_status r =
            epoll ? ach_evhandle_epoll(handlers, 2, &period, periodic, &ticks, options)
                  : ach_evhandle(handlers, 2, &period, periodic, &ticks, options);

        CHECK(r == ACH_OK);
    }
    return handled == 5 ? 0 : 3;
}

static void try_loop(enum ach_status (*periodic)(void *), int options, int epoll)
{
    sigset_t set;
    ach_channel_t chan;
    int sig, status = 0, value = 5;
    pid_t child;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    make_channel(&chan, "stop-a");
    CHECK(ach_close(&chan) == ACH_OK);
    make_channel(&chan, "stop-b");
    child = fork();
    if (child == 0)
        _exit(run_loop(periodic, options, epoll));
    CHECK(ach_put(&chan, &value, sizeof(value)) == ACH_OK);
    CHECK(sigwait(&set, &sig) == 0);
    while (waitpid(child, &status, WNOHANG) == 0) { /* the first may come before it sleeps */
        kill(child, SIGTERM);
        usleep(100000);
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK(ach_close(&chan) == ACH_OK);
}

int main(void)
{
    alarm(100);
    try_loop(tick, ACH_EV_O_PERIODIC_TIMEOUT, 0);
    try_loop(NULL, ACH_EV_O_PERIODIC_TIMEOUT | ACH_EV_O_PERIODIC_INPUT, 0);
    try_loop(NULL, 0, 0);
    try_loop(tick, ACH_EV_O_PERIODIC_INPUT, 1);
    CHECK(ach_unlink("stop-a") == ACH_OK && ach_unlink("stop-b") == ACH_OK);
    return 0;
}
