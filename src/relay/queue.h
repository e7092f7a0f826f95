/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - which flows of a link have something to send */
#ifndef RELAY_QUEUE_H
#define RELAY_QUEUE_H

#include "link.h"

/* A message, at the end of the queue of its priority. */
static inline void relay_queue_ready(struct relay_flow *f)
{
    f->link->dirty = true;
    if (f->ready || f->state != RELAY_FLOW_OPEN || !f->sends)
        return;
    f->ready = true;
    TAILQ_INSERT_TAIL(&f->link->ready[f->request.priority], f, ready_entry);
}

static inline void relay_queue_unready(struct relay_flow *f)
{
    if (f->ready)
        TAILQ_REMOVE(&f->link->ready[f->request.priority], f, ready_entry);
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
