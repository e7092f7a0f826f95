/* SPDX-License-Identifier: BSD-3-Clause */
/* tsan.h - ACHI_TSAN: is this built for ThreadSanitizer? */
#ifndef ACHI_TSAN_H
#define ACHI_TSAN_H

#if defined(__SANITIZE_THREAD__)
#define ACHI_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ACHI_TSAN 1
#endif
#endif

#endif
