/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * deps_kernel.h - the functions that the core needs, in the Linux kernel (see core/deps.h)
 *
 * Messages are copied between kernel buffers; data from user memory is copied
 * before the lock is taken.
 */
#ifndef ACHI_DEPS_KERNEL_H
#define ACHI_DEPS_KERNEL_H

#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>

#include <ach/status.h>

#ifndef UINT64_MAX
#define UINT64_MAX U64_MAX
#endif

/* Sparse does not know this builtin. */
#ifdef __CHECKER__
#define __atomic_always_lock_free(size, p) 1
#endif

#define ACHI_STEP(label) ((void)0)

static inline void achi_copy_in(void *chan, const void *src, size_t n)
{
    memcpy(chan, src, n);
}

static inline void achi_copy_out(void *dst, const void *chan, size_t n)
{
    memcpy(dst, chan, n);
}

/* ACH_EINTR: a signal arrived while waiting for the lock. */
enum ach_status achi_lock(const struct achi_view *v, uint32_t *word);
void achi_unlock(const struct achi_view *v, uint32_t *word);

/* Commits without waking: achk_write wakes after unlocking. It cannot be killed in between. */
void achi_commit_wake(const struct achi_view *v, uint32_t add);
uint64_t achi_now(const struct achi_view *v);

#endif
