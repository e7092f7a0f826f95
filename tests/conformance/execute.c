/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * execute.c - a source that executes itself again can become the source again
 *
 * Its worker, a child of fork, still has the open file of the first handle, and
 * the lock on it.
 */
#include <unistd.h>

#include "check.h"

#define CHAN "c"

static enum ach_status open_source(ach_channel_t *chan)
{
    ach_attr_t attr;

    ach_attr_init(&attr);
    ach_attr_set_lock_source(&attr, 1);
    return ach_open(chan, CHAN, &attr);
}

static int anew(pid_t worker)
{
    ach_channel_t chan, other;

    CHECK_OK(open_source(&chan));
    CHECK_OK(ach_put(&chan, "x", 1));
    CHECK_STATUS(open_source(&other), ACH_EAGAIN);
    CHECK_OK(ach_close(&chan));
    CHECK_OK(open_source(&other));
    CHECK_OK(ach_close(&other));
    CHECK_OK(ach_unlink(CHAN));
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    return check_result();
}

int main(int argc, char **argv)
{
    ach_create_attr_t attr;
    ach_channel_t chan;
    char text[16];
    pid_t worker;

    if (argc > 1)
        return anew((pid_t)strtol(argv[1], NULL, 10));
    ach_create_attr_init(&attr);
    ach_create_attr_set_single_writer(&attr, 1);
    REQUIRE_OK(ach_create(CHAN, 4, 64, &attr));
    REQUIRE_OK(open_source(&chan));
    worker = fork();
    if (worker == 0)
        for (;;)
            pause();
    snprintf(text, sizeof(text), "%d", (int)worker);
    execl("/proc/self/exe", argv[0], text, (char *)NULL);
    check_skip("cannot execute itself");
}
