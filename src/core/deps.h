/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * deps.h - what the channel algorithm needs from the world around it
 *
 * The core includes nothing else: no libc, no kernel headers. Whoever compiles
 * it names a header in ACHI_DEPS that provides:
 *
 *   uint32_t, uint64_t, int32_t, size_t, UINT64_MAX, NULL, bool
 *
 *   ACHI_STEP(label)
 *       Comes before every access to shared memory; nothing in a product.
 *
 *   void achi_copy_in(void *chan, const void *src, size_t n)
 *   void achi_copy_out(void *dst, const void *chan, size_t n)
 *       Copy a message. chan is aligned to 16 bytes and padded to 8; bytes up
 *       to the next multiple of 8 may be written. The other side of the copy
 *       may change under it at any time. No non-temporal stores: fences do not
 *       order them.
 *
 *   enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
 *   void achi_unlock(const struct achi_view *v, uint32_t *word)
 *       Exclude other writers by the channel's lock word, with acquire and
 *       release. Ends when its holder dies, however it dies. achi_lock has a
 *       time limit: ACH_LOCKED.
 *
 *   void achi_commit_wake(const struct achi_view *v, uint32_t add)
 *       Add to the commit word and wake all who sleep on it, in one step that
 *       the death of this process cannot split. Orders all earlier stores
 *       before the addition.
 *
 *   uint64_t achi_now(const struct achi_view *v)
 *       The time on the channel's clock in nanoseconds.
 */
#ifndef ACHI_DEPS_H
#define ACHI_DEPS_H

struct achi_view;

#include ACHI_DEPS

#endif
