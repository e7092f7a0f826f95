/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * deps.h - what the channel algorithm needs from the world around it
 *
 * The core includes nothing else: no libc, no kernel headers. The build sets
 * ACHI_DEPS to the name of a header that provides:
 *
 *   uint32_t, uint64_t, int32_t, size_t, UINT64_MAX, NULL, bool
 *
 *   ACHI_STEP(label)
 *       Precedes every access to shared memory. Empty in a product build.
 *
 *   void achi_copy_in(void *chan, const void *src, size_t n)
 *   void achi_copy_out(void *dst, const void *chan, size_t n)
 *       Copy a message. chan is aligned to 16 bytes and padded to 8; bytes up
 *       to the next multiple of 8 may be written. Other processes may access
 *       chan during the copy. No non-temporal stores: fences do not order them.
 *
 *   enum ach_status achi_lock(const struct achi_view *v, uint32_t *word)
 *   void achi_unlock(const struct achi_view *v, uint32_t *word)
 *       Lock the channel's lock word against other writers (acquire), and
 *       unlock it (release). The lock is freed when its owner dies, however it
 *       dies. achi_lock returns ACH_LOCKED after a time limit.
 *
 *   void achi_commit_wake(const struct achi_view *v, uint32_t add)
 *       Add to the commit word and wake all its sleepers, in one step that
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
