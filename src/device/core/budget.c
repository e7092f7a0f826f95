/* SPDX-License-Identifier: BSD-3-Clause */
#include "budget.h"

#include <ach.h>
#include <stdlib.h>

#include "message.h"

struct ach_budget {
    uint32_t refs;
    size_t max;
    size_t used; /* changed by any thread */
};

ach_status_t ach_budget_create(size_t bytes, ach_budget_t **budget)
{
    ach_budget_t *b = calloc(1, sizeof(*b));

    if (!b)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a budget");
    b->refs = 1;
    b->max = bytes;
    *budget = b;
    return ACH_OK;
}

ach_budget_t *dev_budget_ref(ach_budget_t *b)
{
    if (b)
        __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
    return b;
}

void dev_budget_unref(ach_budget_t *b)
{
    if (b && __atomic_fetch_sub(&b->refs, 1, __ATOMIC_ACQ_REL) == 1)
        free(b);
}

void ach_budget_destroy(ach_budget_t *budget)
{
    dev_budget_unref(budget);
}

void ach_budget_add(ach_budget_t *budget, size_t bytes)
{
    if (budget)
        __atomic_fetch_add(&budget->used, bytes, __ATOMIC_RELAXED);
}

void ach_budget_sub(ach_budget_t *budget, size_t bytes)
{
    if (budget)
        __atomic_fetch_sub(&budget->used, bytes, __ATOMIC_RELAXED);
}

size_t ach_budget_left(const ach_budget_t *budget)
{
    size_t used;

    if (!budget)
        return SIZE_MAX;
    used = __atomic_load_n(&budget->used, __ATOMIC_RELAXED);
    return used < budget->max ? budget->max - used : 0;
}

/* The first budget that counts a message keeps it: a second transport does not count it again. */
void ach_budget_count(ach_budget_t *budget, const ach_message_t *message)
{
    ach_message_t *m = (ach_message_t *)(uintptr_t)message;
    ach_budget_t *none = NULL;

    if (!budget || !__atomic_compare_exchange_n(&m->budget, &none, budget, false, __ATOMIC_ACQ_REL,
                                                __ATOMIC_ACQUIRE))
        return;
    dev_budget_ref(budget);
    m->counted = sizeof(*m) + (m->bytes ? sizeof(*m->bytes) + m->bytes->size : 0) +
                 __atomic_load_n(&m->body_size, __ATOMIC_RELAXED);
    ach_budget_add(budget, m->counted);
}
