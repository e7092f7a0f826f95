/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * deps_bare.h - what the core needs (see core/deps.h), without any system
 *
 * One thread, no operating system, no C library.
 */
#ifndef DEPS_BARE_H
#define DEPS_BARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ach/status.h>

#define ACHI_STEP(label) ((void)0)

/* Atomic accesses, so that the compiler does not make a memcpy of the loop. */
static inline void achi_copy_bytes(void *to, const void *from, size_t n)
{
    unsigned char *d = to;
    const unsigned char *s = from;
    size_t i;

    for (i = 0; i < n; i++)
        __atomic_store_n(&d[i], __atomic_load_n(&s[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

static inline void achi_copy_in(void *chan, const void *src, size_t n)
{
    achi_copy_bytes(chan, src, n);
}

static inline void achi_copy_out(void *dst, const void *chan, size_t n)
{
    achi_copy_bytes(dst, chan, n);
}

static inline enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
{
    (void)v;
    if (*word != 0)
        return ACH_LOCKED;
    *word = 1;
    return ACH_OK;
}

static inline void achi_unlock(const struct achi_view *v, uint32_t *word)
{
    (void)v;
    *word = 0;
}

void achi_commit_wake(const struct achi_view *v, uint32_t add);
uint64_t achi_now(const struct achi_view *v);

#endif
