/* SPDX-License-Identifier: BSD-3-Clause */
#include "hold.h"

#include <ach.h>
#include <stdlib.h>

struct achi_held {
    struct achi_agenda_item item; /* first: the agenda gives it back */
    struct achi_held *next;
    struct achi_simdev *device;
    struct achi_holds *holds;
    ach_message_t *message;
    achi_hold_done_t *done;
};

/* All of one list wait equally long: the one whose time has come is the oldest. */
static struct achi_held *take_first(struct achi_holds *holds)
{
    struct achi_held *h = holds->first;

    holds->first = h->next;
    if (!holds->first)
        holds->last = NULL;
    return h;
}

static ach_status_t release(struct achi_agenda_item *item)
{
    struct achi_held *h = take_first(((struct achi_held *)item)->holds);
    ach_status_t status = h->done(h->device, h->message);

    ach_message_unref(h->message);
    free(h);
    return status;
}

ach_status_t achi_hold(struct achi_simdev *d, struct achi_holds *holds, const ach_message_t *m,
                       int64_t latency, achi_hold_done_t *done)
{
    struct achi_held *h = calloc(1, sizeof(*h));

    if (!h)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a message that waits");
    h->item.act = release;
    h->item.rank = d->rank;
    h->device = d;
    h->holds = holds;
    h->done = done;
    if (achi_agenda_add(achi_world_agenda(d->world), &h->item,
                        achi_world_now(d->world) + latency) != ACH_OK) {
        free(h);
        return ACH_FAILED_SYSCALL;
    }
    h->message = ach_message_ref(m);
    if (holds->last)
        holds->last->next = h;
    else
        holds->first = h;
    holds->last = h;
    return ACH_OK;
}

void achi_hold_forget(struct achi_simdev *d, struct achi_holds *holds)
{
    while (holds->first) {
        struct achi_held *h = take_first(holds);

        achi_agenda_remove(achi_world_agenda(d->world), &h->item);
        ach_message_unref(h->message);
        free(h);
    }
}
