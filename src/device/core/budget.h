/* SPDX-License-Identifier: BSD-3-Clause */
/* budget.h - bytes that a group of queues and their messages take */
#ifndef DEV_BUDGET_H
#define DEV_BUDGET_H

#include <ach/transport.h>

/* Each queue and message that is counted holds a reference. */
ach_budget_t *dev_budget_ref(ach_budget_t *b);
void dev_budget_unref(ach_budget_t *b);

#endif
