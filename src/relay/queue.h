/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - which flows of a link have something to send */
#ifndef RELAY_QUEUE_H
#define RELAY_QUEUE_H

#include "link.h"
#include "udp.h"

/* Messages in datagrams have a window of their own, so they do not wait for others. */
static inline struct relay_flow_list *relay_queue_of(const struct relay_flow *f)
{
    struct relay_flow_list *lists = f->request.udp ? f->link->udp->ready : f->link->ready;

    return &lists[f->request.priority];
}

/* The flow whose turn it is, by priority. */
static inline struct relay_flow *relay_queue_next(const struct relay_flow_list *lists)
{
    unsigned i;

    for (i = RELAY_PRIORITIES; i--;)
        if (!TAILQ_EMPTY(&lists[i]))
            return TAILQ_FIRST(&lists[i]);
    return NULL;
}

/* A message, at the end of the queue of its priority. */
static inline void relay_queue_ready(struct relay_flow *f)
{
    f->link->dirty = true;
    if (f->ready || f->state != RELAY_FLOW_OPEN || !f->sends || f->group)
        return;
    f->ready = true;
    TAILQ_INSERT_TAIL(relay_queue_of(f), f, ready_entry);
}

static inline void relay_queue_unready(struct relay_flow *f)
{
    if (f->ready)
        TAILQ_REMOVE(relay_queue_of(f), f, ready_entry);
    f->ready = false;
}

/* The frame that its state requires. */
static inline void relay_queue_control(struct relay_flow *f, enum relay_flow_state state)
{
    f->state = state;
    f->link->dirty = true;
    if (f->listed)
        return;
    f->listed = true;
    TAILQ_INSERT_TAIL(&f->link->control, f, control_entry);
}

static inline void relay_queue_uncontrol(struct relay_flow *f)
{
    if (f->listed)
        TAILQ_REMOVE(&f->link->control, f, control_entry);
    f->listed = false;
}

/* Continue with the flow at a time. */
static inline void relay_queue_wake(struct relay_flow *f, uint64_t when)
{
    f->wake = when;
    if (!f->link->wake || when < f->link->wake)
        f->link->wake = when;
}

#endif
