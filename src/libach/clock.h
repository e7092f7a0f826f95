/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.h - arithmetic on points in time */
#ifndef ACHI_CLOCK_H
#define ACHI_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ACHI_NS_PER_S 1000000000ll

/* Are the nanoseconds a part of a second? */
static inline bool achi_time_valid(const struct timespec *t)
{
    return t->tv_nsec >= 0 && t->tv_nsec < ACHI_NS_PER_S;
}

/*
 * Can this clock time a channel? It must be the same for all processes and go
 * on while they sleep: CPU-time clocks do not.
 */
static inline bool achi_clock_usable(clockid_t clock)
{
    struct timespec now;

    return clock >= 0 && clock != CLOCK_PROCESS_CPUTIME_ID && clock != CLOCK_THREAD_CPUTIME_ID &&
           clock_gettime(clock, &now) == 0;
}

/*
 * The kernel's own clock, for deadlines that are passed to the kernel. In a simulated program
 * clock_gettime shows virtual time, and a wait for a lock until a point in virtual time would
 * end at once or never.
 */
static inline void achi_kernel_now(clockid_t clock, struct timespec *t)
{
#ifdef SYS_clock_gettime64
    const long call = sizeof(t->tv_sec) > sizeof(long) ? SYS_clock_gettime64 : SYS_clock_gettime;
#else
    const long call = SYS_clock_gettime;
#endif

    syscall(call, clock, t);
}

static inline bool achi_time_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* The largest time_t: 32 bits on some systems. */
static inline time_t achi_time_max(void)
{
    return sizeof(time_t) == 4 ? (time_t)INT32_MAX : (time_t)INT64_MAX;
}

/* a + b; on overflow the seconds are achi_time_max(). */
static inline struct timespec achi_time_sum(const struct timespec *a, const struct timespec *b)
{
    struct timespec t = {.tv_nsec = a->tv_nsec + b->tv_nsec};
    time_t carry = t.tv_nsec >= ACHI_NS_PER_S;

    if (carry)
        t.tv_nsec -= (long)ACHI_NS_PER_S;
    if (__builtin_add_overflow(a->tv_sec, b->tv_sec, &t.tv_sec) ||
        __builtin_add_overflow(t.tv_sec, carry, &t.tv_sec))
        t.tv_sec = achi_time_max();
    return t;
}

/* The same duration with valid nanoseconds; too long ones saturate. */
static inline struct timespec achi_time_normal(const struct timespec *t)
{
    struct timespec n = {.tv_nsec = (long)(t->tv_nsec % ACHI_NS_PER_S)};
    time_t carry = (time_t)(t->tv_nsec / ACHI_NS_PER_S);

    if (n.tv_nsec < 0) {
        n.tv_nsec += (long)ACHI_NS_PER_S;
        carry--;
    }
    if (__builtin_add_overflow(t->tv_sec, carry, &n.tv_sec))
        n.tv_sec = t->tv_sec < 0 ? -achi_time_max() : achi_time_max();
    return n;
}

static inline struct timespec achi_time_add(const struct timespec *t, int64_t ns)
{
    struct timespec d = {.tv_sec = (time_t)(ns / ACHI_NS_PER_S),
                         .tv_nsec = (long)(ns % ACHI_NS_PER_S)};

    return achi_time_sum(t, &d);
}

/* Nanoseconds from now until t; 0 if it has passed, at most about 146 years. */
static inline int64_t achi_time_until(const struct timespec *now, const struct timespec *t)
{
    int64_t s = (int64_t)t->tv_sec - (int64_t)now->tv_sec;

    if (!achi_time_before(now, t))
        return 0;
    if (s > INT64_MAX / ACHI_NS_PER_S / 2)
        return INT64_MAX / 2;
    return s * ACHI_NS_PER_S + (t->tv_nsec - now->tv_nsec);
}

#endif
