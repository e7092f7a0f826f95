/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lock.h - the writers' lock
 *
 * The lock is one word that holds the owner's thread id: a priority-inheriting
 * futex. It is robust without a list in shared memory: while a thread holds
 * it, the thread's own "pending" slot points at it, and the kernel marks the
 * word when the thread dies. A writer may die anywhere without harm to the
 * channel, so the next owner has nothing to repair.
 *
 * The word is in shared memory and may hold anything. Each error that the
 * kernel returns for it becomes a status, and waiting has a limit.
 */
#ifndef ACHI_LOCK_H
#define ACHI_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include <ach/status.h>

#include "thread.h"

struct achi_view;

/* The lowest bit of a pending pointer tells the kernel that the futex inherits priority. */
#define ACHI_PENDING_PI 1u

enum ach_status achi_lock_slow(const struct achi_view *v, uint32_t *word);
void achi_unlock_slow(const struct achi_view *v, uint32_t *word);

static inline bool achi_lock_cas(uint32_t *word, uint32_t old, uint32_t new_, int order)
{
    return __atomic_compare_exchange_n(word, &old, new_, 0, order, __ATOMIC_RELAXED);
}

/* Set before the lock word changes, clear after: the kernel reads it when this thread dies. */
static inline void achi_set_pending(struct achi_thread *self, uintptr_t value)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *self->pending = value;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
{
    struct achi_thread *self = achi_thread();

    achi_set_pending(self, ((uintptr_t)word - (uintptr_t)self->futex_offset) | ACHI_PENDING_PI);
    if (__builtin_expect(achi_lock_cas(word, 0, self->tid, __ATOMIC_ACQUIRE), 1))
        return ACH_OK;
    return achi_lock_slow(v, word);
}

static inline void achi_unlock(const struct achi_view *v, uint32_t *word)
{
    struct achi_thread *self = &achi_thread_self;

    if (__builtin_expect(!achi_lock_cas(word, self->tid, 0, __ATOMIC_RELEASE), 0))
        achi_unlock_slow(v, word);
    achi_set_pending(self, 0);
}

#endif
