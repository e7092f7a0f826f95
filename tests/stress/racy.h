/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * racy.h - touch a channel's memory in place, beside readers and writers
 *
 * A view may be overwritten while it is read, and a reservation may lie where
 * a slow reader still copies an old message; ach_view_check, and the check in
 * ach_get, detect that. These are the only accesses in these tests that race by
 * design.
 */
#ifndef RACY_H
#define RACY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__SANITIZE_THREAD__)
#define RACY_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RACY_TSAN 1
#endif
#endif

/* Does not call memcpy, which a sanitizer intercepts. Both sides are aligned to 8 bytes. */
__attribute__((no_sanitize("thread"))) static inline void
racy_copy(volatile unsigned char *to, const volatile unsigned char *from, size_t n)
{
    volatile uint64_t *to8 = (volatile uint64_t *)(volatile void *)to;
    const volatile uint64_t *from8 = (const volatile uint64_t *)(const volatile void *)from;
    size_t i;

    for (i = 0; i < n / 8; i++)
        to8[i] = from8[i];
    for (i = n & ~(size_t)7; i < n; i++)
        to[i] = from[i];
}

#endif
