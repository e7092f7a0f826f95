/* SPDX-License-Identifier: BSD-3-Clause */
/* queue.h - who still knows a queue */
#ifndef ACHI_QUEUE_H
#define ACHI_QUEUE_H

#include <ach/transport.h>

ach_queue_t *achi_queue_ref(ach_queue_t *q);
void achi_queue_unref(ach_queue_t *q);

#endif
