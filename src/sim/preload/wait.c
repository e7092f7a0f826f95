/* SPDX-License-Identifier: BSD-3-Clause */
/* wait.c - waiting for children: they are looked at after each step of the world */
#include <sys/resource.h>
#include <sys/wait.h>

#include "preload.h"

struct waiting {
    pid_t pid, r;
    int *status;
    int options;
    struct rusage *usage;
};

static bool look(void *cx)
{
    struct waiting *w = cx;

    w->r = REAL(wait4)(w->pid, w->status, w->options | WNOHANG, w->usage);
    return w->r != 0;
}

EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct waiting w = {pid, 0, status, options, usage};
    struct achi_events e = {0};

    if (!achi_sim_free() || (options & WNOHANG))
        return REAL(wait4)(pid, status, options, usage);
    achi_events_add(&e, ACHI_EVENT_POLL);
    achi_block(ACHI_SIM_NEVER, &e, look, &w);
    return w.r;
}

EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait4(pid, status, options, NULL);
}

EXPORT pid_t wait(int *status)
{
    return wait4(-1, status, 0, NULL);
}
