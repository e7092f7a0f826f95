/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * order.h - every access to a channel's changing words, and every ordering
 *
 * Each access carries the label of the step it is in the algorithm. The label
 * costs nothing in a product build; the test shim stops there, and the model
 * in model/ has the same labels.
 *
 * The pairs, by label:
 *
 *   PUT_COMMIT release    GET_HEAD     acquire: a committed message comes with its entry and
 *                                      bytes; what a reader loads after the commit word is
 *                                      what was stored before the commit, or later
 *   PUT_FENCE  stores     GET_FENCE    loads: a writer voids an entry (PUT_VOID, PUT_EVICT) before
 *                                      it touches the bytes (PUT_COPY); a reader looks at the
 *                                      entry (GET_CHECK) after it took them (GET_COPY): if it
 *                                      took any new byte, it sees the void (a seqlock)
 *   PUT_VOID   release    GET_AGAIN_FENCE   loads: the newest entry is voided only after the commit
 *                                      word has moved on; a reader that saw the void (GET_SEQ)
 *                                      sees that (GET_AGAIN)
 *   achi_nudge release    GET_HEAD     acquire: who retires the channel or cancels a handle stores
 *                                      that, then counts up in the commit word; a waiter that
 *                                      loaded the new count sees it (WAIT_STATE), another one does
 *                                      not sleep
 *   WAIT_RAISE seq_cst    achi_wakefile_lack   seq_cst: a waiter raises the flag, then checks if
 *                                      all handles have the wake word; a handle without it says
 *                                      so, then looks for the flag: one of them sees the other
 *
 * Between writers the lock orders everything.
 */
#ifndef ACHI_ORDER_H
#define ACHI_ORDER_H

#include "deps.h"

/* A part of put or get, made one function with the rest: what it hands on stays in registers. */
#define ACHI_HOT static inline __attribute__((always_inline))

/*
 * For functions on the path of put and get. They have no buffer on the stack that could overflow,
 * and the stack protector would cost a tenth of a get.
 */
#if __has_attribute(no_stack_protector)
#define ACHI_NO_BUFFER __attribute__((no_stack_protector))
#else
#define ACHI_NO_BUFFER
#endif

#define achi_load(p, label) (ACHI_STEP(label), __atomic_load_n((p), __ATOMIC_RELAXED))
#define achi_load_acquire(p, label) (ACHI_STEP(label), __atomic_load_n((p), __ATOMIC_ACQUIRE))
#define achi_store(p, v, label) (ACHI_STEP(label), __atomic_store_n((p), (v), __ATOMIC_RELAXED))
#define achi_store_release(p, v, label)                                                            \
    (ACHI_STEP(label), __atomic_store_n((p), (v), __ATOMIC_RELEASE))
#define achi_cas_release(p, old, new_, label)                                                      \
    (ACHI_STEP(label),                                                                             \
     __atomic_compare_exchange_n((p), (old), (new_), 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
#define achi_cas_seq_cst(p, old, new_, label)                                                      \
    (ACHI_STEP(label),                                                                             \
     __atomic_compare_exchange_n((p), (old), (new_), 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
/* Stores before it are visible before stores after it. */
#define achi_fence_store(label) (ACHI_STEP(label), achi_store_barrier())
/* Loads before it are done before loads after it. */
#define achi_fence_load(label) (ACHI_STEP(label), achi_load_barrier())

/* Written out for the machines we know: cheaper than C's fences, which also order more. */
#if defined(__aarch64__)
#define ACHI_BARRIER_STORE "dmb ishst"
#define ACHI_BARRIER_LOAD "dmb ishld"
#elif defined(__x86_64__) || defined(__i386__)
#define ACHI_BARRIER_STORE ""
#define ACHI_BARRIER_LOAD ""
#endif

static inline void achi_store_barrier(void)
{
#ifdef ACHI_BARRIER_STORE
    __asm__ volatile(ACHI_BARRIER_STORE : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

static inline void achi_load_barrier(void)
{
#ifdef ACHI_BARRIER_LOAD
    __asm__ volatile(ACHI_BARRIER_LOAD : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
}

/* 8-byte words that are not lock-free would be guarded by locks private to a process. */
_Static_assert(__atomic_always_lock_free(8, 0), "needs 8-byte atomics");
_Static_assert(__atomic_always_lock_free(4, 0), "needs 4-byte atomics");

#endif
