/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy.h - copy a message while others may be writing it
 *
 * A reader may copy a message that a writer is overwriting; it detects that
 * afterwards and discards the copy. So the shared side is accessed with loads
 * and stores that the compiler can neither split nor repeat, and never with the
 * non-temporal stores that a libc's memcpy may choose. The shared side is
 * aligned to 16 bytes and padded to 8; the private side has any alignment.
 */
#ifndef ACHI_COPY_H
#define ACHI_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "tsan.h"

#if defined(__x86_64__) || defined(__i386__)
#define ACHI_COPY_STRING_FROM 512u
#endif

typedef uintptr_t achi_word;
typedef uint64_t achi_block __attribute__((vector_size(16), may_alias));

/* Copy n bytes, with the shared side accessed in whole words, also for the last odd bytes. */
static inline void achi_words_in(unsigned char *chan, const unsigned char *src, size_t n)
{
    achi_word w;

    for (; n >= sizeof(w); n -= sizeof(w), chan += sizeof(w), src += sizeof(w)) {
        __builtin_memcpy(&w, src, sizeof(w));
        __atomic_store_n((achi_word *)(void *)chan, w, __ATOMIC_RELAXED);
    }
    if (n) {
        w = 0;
        __builtin_memcpy(&w, src, n);
        __atomic_store_n((achi_word *)(void *)chan, w, __ATOMIC_RELAXED);
    }
}

static inline void achi_words_out(unsigned char *dst, const unsigned char *chan, size_t n)
{
    achi_word w;

    for (; n >= sizeof(w); n -= sizeof(w), chan += sizeof(w), dst += sizeof(w)) {
        w = __atomic_load_n((const achi_word *)(const void *)chan, __ATOMIC_RELAXED);
        __builtin_memcpy(dst, &w, sizeof(w));
    }
    if (n) {
        w = __atomic_load_n((const achi_word *)(const void *)chan, __ATOMIC_RELAXED);
        __builtin_memcpy(dst, &w, n);
    }
}

#if !defined(ACHI_TSAN) && defined(ACHI_COPY_STRING_FROM)

/* String instructions: fast from some hundred bytes on, ordered like other stores. */
static inline void achi_string_copy(void *dst, const void *src, size_t n)
{
    __asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(n) : : "memory");
}

static inline void achi_copy_in(void *chan, const void *src, size_t n)
{
    if (n >= ACHI_COPY_STRING_FROM)
        achi_string_copy(chan, src, n);
    else
        achi_words_in(chan, src, n);
}

static inline void achi_copy_out(void *dst, const void *chan, size_t n)
{
    if (n >= ACHI_COPY_STRING_FROM)
        achi_string_copy(dst, chan, n);
    else
        achi_words_out(dst, chan, n);
}

#elif !defined(ACHI_TSAN)

#define ACHI_STRIDE (4 * sizeof(achi_block))

static inline achi_block achi_block_load(const void *p)
{
    achi_block b;

    __builtin_memcpy(&b, p, sizeof(b));
    return b;
}

static inline void achi_block_store(void *p, achi_block b)
{
    __builtin_memcpy(p, &b, sizeof(b));
}

static inline void achi_copy_in(void *chan, const void *src, size_t n)
{
    volatile achi_block *to = chan;
    const achi_block *from = src;

    for (; n >= ACHI_STRIDE; n -= ACHI_STRIDE, from += 4, to += 4) {
        achi_block a = achi_block_load(from), b = achi_block_load(from + 1);
        achi_block c = achi_block_load(from + 2), d = achi_block_load(from + 3);

        to[0] = a;
        to[1] = b;
        to[2] = c;
        to[3] = d;
    }
    achi_words_in((unsigned char *)(uintptr_t)to, (const unsigned char *)from, n);
}

static inline void achi_copy_out(void *dst, const void *chan, size_t n)
{
    const volatile achi_block *from = chan;
    achi_block *to = dst;

    for (; n >= ACHI_STRIDE; n -= ACHI_STRIDE, from += 4, to += 4) {
        achi_block a = from[0], b = from[1], c = from[2], d = from[3];

        achi_block_store(to, a);
        achi_block_store(to + 1, b);
        achi_block_store(to + 2, c);
        achi_block_store(to + 3, d);
    }
    achi_words_out((unsigned char *)to, (const unsigned char *)(uintptr_t)from, n);
}

#else

static inline void achi_copy_in(void *chan, const void *src, size_t n)
{
    achi_words_in(chan, src, n);
}

static inline void achi_copy_out(void *dst, const void *chan, size_t n)
{
    achi_words_out(dst, chan, n);
}

#endif

#endif
