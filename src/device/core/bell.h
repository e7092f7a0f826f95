/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bell.h - an eventfd that one thread rings and another waits for
 *
 * Who waits clears it before it looks: what is rung later makes it readable again.
 */
#ifndef ACHI_BELL_H
#define ACHI_BELL_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

/* Seconds; so that a wait without end in a double is still a timespec. */
#define ACHI_LONG_WAIT 1e9

/* Seconds of a clock that nobody sets. */
static inline double achi_monotonic(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void achi_bell_ring(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static inline void achi_bell_clear(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

/* A time or duration of seconds that is not negative, and not longer than time_t can hold. */
static inline struct timespec achi_timespec(double seconds)
{
    const time_t whole = (time_t)seconds;

    return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

/* Until it rings, or until that time of the monotonic clock; negative: without end. */
static inline void achi_bell_wait(int fd, double until)
{
    double left = until < 0 ? 0 : until - achi_monotonic();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec t;

    if (left < 0)
        left = 0;
    if (left > ACHI_LONG_WAIT)
        left = ACHI_LONG_WAIT;
    t = achi_timespec(left);
    ppoll(&p, 1, until < 0 ? NULL : &t, NULL);
}

#endif
