/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - who still knows a queue */
#ifndef ACHI_QUEUE_H
#define ACHI_QUEUE_H

#include <ach/transport.h>

ach_queue_t *achi_queue_ref(ach_queue_t *q);
void achi_queue_unref(ach_queue_t *q);

/*
 * Somebody takes messages out in the thread that has put them in: attend is called
 * by achi_queue_attend, under no lock of the queue.
 */
void achi_queue_attended(ach_queue_t *q, void (*attend)(void *context), void *context);
void achi_queue_attend(const ach_queue_t *q);

/* Whether an answer is within the queue's limit; if not, that is counted as a refusal. */
bool achi_queue_fits(ach_queue_t *q, const ach_message_t *m);

/* Count a message from the client whose answers come here; false: there is no room for it. */
bool achi_queue_count(ach_queue_t *q, const ach_message_t *m);

/* Whether a request may be under way whose answer comes here; then it counts until it is freed. */
bool achi_queue_ask(ach_queue_t *q, const ach_message_t *m);
void achi_queue_asked(ach_queue_t *q, const ach_message_t *m);

#endif
