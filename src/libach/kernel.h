/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - channels of the kernel module
 *
 * A handle maps the channel's memory, which it cannot write, and gets messages
 * from there as from any other channel: without a system call. What changes the
 * channel, and what sleeps, is a call to the device (see ach/kernel.h).
 *
 * How a cancel finds its waiter: ach_cancel sets the handle's flag, then has
 * the device count. A waiter says which count it knows, and does not sleep, or
 * not on, when the count is another one; then it knows that one and looks at
 * the flag. So a cancel that is in the count a waiter knows had set its flag
 * before the waiter looked, and one that is not wakes it. Parent and child of a
 * fork share the count, and each keeps the one it knows: a cancel of the one
 * makes the other look at its own flag, and wait again.
 */
#ifndef ACHI_KERNEL_H
#define ACHI_KERNEL_H

#include "handle.h"
#include "wait.h"

static inline bool achi_in_kernel(const struct achi_handle *h)
{
    return h->map == ACH_MAP_KERNEL;
}

/* Is there a kernel channel of that name? */
bool achi_kernel_exists(const char *name);

enum ach_status achi_kernel_create(const char *name, const struct achi_geometry *g,
                                   const ach_create_attr_t *attr, clockid_t clock);

/* ACH_ENOENT if there is none, without a sentence: who looks for it says what that means. */
enum ach_status achi_kernel_open(struct achi_handle *h, const char *name, bool readonly);
enum ach_status achi_kernel_unlink(const char *name);

/* The sentence: the channel is not there, or the module is not. */
enum ach_status achi_kernel_none(const char *name);

void achi_kernel_close(struct achi_handle *h);

enum ach_status achi_kernel_lock_source(struct achi_handle *h, const char *name);

/* Put a message of a size that fits. */
enum ach_status achi_kernel_put(const struct achi_handle *h, const void *buf, size_t len);

/* Sleep until there is more than the handle has seen. As achi_sleep. */
enum ach_status achi_kernel_wait(struct achi_handle *h, const struct achi_deadline *d, int options);

/* Count a cancel, and wake who waits or polls. Safe in a signal handler. */
void achi_kernel_cancel(int fd);

/* The count of cancels, if it is another one than the one known. */
uint32_t achi_kernel_cancels(int fd, uint32_t known);

#endif
