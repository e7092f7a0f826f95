/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * compat.h - what differs between kernel versions
 *
 * No other file checks the kernel version. Needs Linux 6.0 or later.
 */
#ifndef ACHK_COMPAT_H
#define ACHK_COMPAT_H

#include <linux/device.h>
#include <linux/mm.h>
#include <linux/version.h>

#ifndef CONFIG_64BIT
#error "Ach channels need a 64-bit kernel: 64-bit words must be read and written atomically"
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define ACHK_DEVNODE_CONST const
#else
#define ACHK_DEVNODE_CONST
#endif

/* Change a mapping's flags, from its mmap operation. */
static inline void achk_vm_flags(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
    vm_flags_mod(vma, set, clear);
#else
    vma->vm_flags = (vma->vm_flags | set) & ~clear;
#endif
}

/* Exempt a variable from the stack initialization that kernels may be built with. */
#if __has_attribute(uninitialized)
#define achk_uncleared __attribute__((uninitialized))
#else
#define achk_uncleared
#endif

#endif
