/* SPDX-License-Identifier: BSD-3-Clause */
/* budget.h - bytes that a group of queues and their messages take */
#ifndef ACHI_BUDGET_H
#define ACHI_BUDGET_H

#include <ach/transport.h>

/* Queues and messages that are counted keep their budget. */
ach_budget_t *achi_budget_ref(ach_budget_t *b);
void achi_budget_unref(ach_budget_t *b);

#endif
