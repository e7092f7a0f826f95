/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ticks.h - the processor's counter, which costs less to read than any clock
 *
 * It is the same on all cores of the machines we care for. On some of them it
 * is too coarse for one short operation; ticks_group says how many to time
 * together. Reading it takes time too: ticks_to_ns subtracts that.
 */
#ifndef BENCH_TICKS_H
#define BENCH_TICKS_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

static inline uint64_t clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
    uint64_t t;

    _mm_lfence();
    t = __rdtsc();
    _mm_lfence();
    return t;
#elif defined(__aarch64__)
    uint64_t t;

    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(t) : : "memory");
    return t;
#else
    return clock_ns();
#endif
}

/* Be kind to the sibling thread while spinning. */
static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Spin until a word that another process counts up is at least value. */
static inline void spin_until(const uint64_t *word, uint64_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        relax();
}

/* Learn the counter's rate and what reading it costs. Takes some milliseconds. */
void ticks_init(void);

/* The time from start to now, without the time for reading the counter. */
double ticks_to_ns(uint64_t start, uint64_t now);

/* Spin so long. */
void ticks_pause(double ns);

/* How many operations of some ten nanoseconds to time together. */
unsigned ticks_group(void);

void ticks_print(void);

#endif
