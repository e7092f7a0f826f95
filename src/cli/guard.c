/* SPDX-License-Identifier: BSD-3-Clause */
#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

/* One of the two calls, and what came of it. */
struct guarded {
    ach_channel_t *chan;
    ach_info_t *info; /* NULL: a view */
    const void **message;
    size_t *size;
    int options;
    enum ach_status status;
};

static sigjmp_buf back;

static void leave(int sig)
{
    (void)sig;
    siglongjmp(back, 1);
}

static void call(struct guarded *g)
{
    g->status = g->info ? ach_channel_info(g->chan, g->info)
                        : ach_view(g->chan, g->message, g->size, NULL, g->options);
}

static enum ach_status guard(struct guarded *g)
{
    const struct sigaction action = {.sa_handler = leave};
    struct sigaction before;

    sigaction(SIGBUS, &action, &before);
    if (sigsetjmp(back, 1) == 0)
        call(g);
    else
        g->status = ACH_BAD_SHM_FILE;
    sigaction(SIGBUS, &before, NULL);
    return g->status;
}

enum ach_status guard_info(const ach_channel_t *chan, ach_info_t *info)
{
    struct guarded g = {.chan = (ach_channel_t *)chan, .info = info};

    return guard(&g);
}

enum ach_status guard_view(ach_channel_t *chan, const void **message, size_t *size, int options)
{
    struct guarded g = {.chan = chan, .message = message, .size = size, .options = options};

    return guard(&g);
}
