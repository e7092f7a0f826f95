/* SPDX-License-Identifier: BSD-3-Clause */
#include "delay.h"

#include <ach.h>
#include <stdlib.h>

struct simd_held {
    struct simd_agenda_item item; /* must be first: cast from the item */
    struct simd_held *next;
    struct simd_simdev *device;
    struct simd_holds *holds;
    ach_message_t *message;
    simd_delay_done_t *done;
};

/* All messages of a list have the same latency, so the one that is due is the oldest. */
static struct simd_held *take_first(struct simd_holds *holds)
{
    struct simd_held *h = holds->first;

    holds->first = h->next;
    if (!holds->first)
        holds->last = NULL;
    return h;
}

static ach_status_t delay_release(struct simd_agenda_item *item)
{
    struct simd_held *h = take_first(((struct simd_held *)item)->holds);
    ach_status_t status = h->done(h->device, h->message);

    ach_message_unref(h->message);
    free(h);
    return status;
}

ach_status_t simd_delay(struct simd_simdev *d, struct simd_holds *holds, const ach_message_t *m,
                        int64_t latency, simd_delay_done_t *done)
{
    struct simd_held *h = calloc(1, sizeof(*h));

    if (!h)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a delayed message");
    h->item.act = delay_release;
    h->item.rank = d->rank;
    h->device = d;
    h->holds = holds;
    h->done = done;
    if (simd_agenda_add(simd_world_agenda(d->world), &h->item,
                        simd_world_now(d->world) + latency) != ACH_OK) {
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

void simd_delay_forget(struct simd_simdev *d, struct simd_holds *holds)
{
    while (holds->first) {
        struct simd_held *h = take_first(holds);

        simd_agenda_remove(simd_world_agenda(d->world), &h->item);
        ach_message_unref(h->message);
        free(h);
    }
}
