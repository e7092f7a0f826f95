/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * kernel.h - channels of the kernel module
 *
 * A handle maps the channel's memory read-only, and gets messages from there as
 * from any other channel: without a system call. Every operation that changes
 * the channel or sleeps is a call to the device (see ach/kernel.h).
 *
 * How a cancel reaches its waiter: ach_cancel sets the handle's cancel flag,
 * then makes the device count the cancel. A waiter passes the count that it has
 * seen. If the device's count differs, or changes during the sleep, the call
 * returns the new count, and the waiter checks its flag. So if a cancel is
 * included in the count that the waiter passes, its flag was set before the
 * waiter checked; if not, it wakes the waiter. Parent and child of a fork share
 * the device's count, and each keeps the count that it has seen: a cancel in
 * one makes the other check its own flag, and wait again.
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

/* ACH_ENOENT if there is none, without setting ach_errstr: that is left to the caller. */
enum ach_status achi_kernel_open(struct achi_handle *h, const char *name, bool readonly);
enum ach_status achi_kernel_unlink(const char *name);

/* Set ach_errstr: there is no such channel (ACH_ENOENT), or no module (ACH_ENOTSUP). */
enum ach_status achi_kernel_none(const char *name);

void achi_kernel_close(struct achi_handle *h);

enum ach_status achi_kernel_lock_source(struct achi_handle *h, const char *name);

/* Put a message of a size that fits. */
enum ach_status achi_kernel_put(const struct achi_handle *h, const void *buf, size_t len);

/* Sleep until there is a message that the handle has not seen. Returns as achi_sleep. */
enum ach_status achi_kernel_wait(const ach_channel_t *chan, const struct achi_deadline *d,
                                 int options);

/* Make the device count a cancel and wake waiters and pollers. Safe in a signal handler. */
void achi_kernel_cancel(int fd);

/* The device's count of cancels. Does not sleep. */
uint32_t achi_kernel_cancels(int fd, uint32_t known);

#endif
