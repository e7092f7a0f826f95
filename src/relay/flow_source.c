/* SPDX-License-Identifier: BSD-3-Clause */
#include "flow_source.h"

#include <stddef.h>

#include "queue.h"

#define FLOW_OF(e)                                                                                 \
    ((struct relay_flow *)(void *)((char *)(e)-offsetof(struct relay_flow, expected)))

static struct relay_loop *source_loop(const struct relay_flow *f)
{
    return &f->link->host->loop;
}

void relay_flow_source_close(struct relay_flow *f)
{
    relay_anticipation_forget(&source_loop(f)->anticipation, &f->expected);
    if (f->watch.fd)
        relay_loop_remove(source_loop(f), &f->watch);
    f->expected.came = NULL;
    relay_source_close(&f->source);
    relay_flow_charge(f, 0);
    f->working = false;
}

static bool source_came(struct relay_expected *e)
{
    struct relay_flow *f = FLOW_OF(e);

    if (!relay_source_has(&f->source))
        return false;
    relay_queue_ready(f);
    return true;
}

static void source_ready(struct relay_watch *w, uint32_t events)
{
    (void)events;
    relay_queue_ready((struct relay_flow *)w);
}

/* Edge-triggered: the flow stays in the queue until its channel is empty. */
enum ach_status relay_flow_source_open(struct relay_flow *f)
{
    struct relay_terms terms;
    enum ach_status r;

    relay_flow_source_close(f);
    r = relay_source_open(&f->source, f->local, &terms);
    if (r == ACH_OK)
        r = relay_sink_share(&f->link->host->sinks, f->local, &f->sink);
    if (r != ACH_OK) {
        relay_source_close(&f->source);
        return r;
    }
    if (!relay_flow_charge(f, 0)) {
        relay_flow_source_close(f);
        return ach_errstr_set(ACH_OVERFLOW, "%s", f->why);
    }
    f->watch.ready = source_ready;
    f->expected.came = source_came;
    if (relay_loop_add(source_loop(f), &f->watch, f->source.fd, EPOLLIN | EPOLLET))
        return ACH_OK;
    relay_flow_source_close(f);
    return ach_errstr_set(ACH_FAILED_SYSCALL, "cannot wait for the channel '%s'", f->local);
}
