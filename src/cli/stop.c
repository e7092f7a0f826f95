/* SPDX-License-Identifier: BSD-3-Clause */
#include "stop.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t stop;
static ach_channel_t *volatile followed;

static void on_signal(int signal)
{
    ach_channel_t *chan = followed;

    (void)signal;
    stop = 1;
    if (chan)
        ach_cancel(chan, NULL);
}

void stop_on_signals(ach_channel_t *chan)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    size_t i;

    followed = chan;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal; /* without SA_RESTART: interrupts a blocked write, too */
    for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction old;

        /* Keep signals ignored that nohup or the shell ignores. */
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void stop_forget(void)
{
    followed = NULL;
}

bool stopped(void)
{
    return stop != 0;
}
