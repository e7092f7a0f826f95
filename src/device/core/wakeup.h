/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wakeup.h - an eventfd that any thread signals and one thread waits for
 *
 * The waiter clears the eventfd before it checks its condition: a later signal makes the eventfd
 * readable again.
 */
#ifndef DEV_WAKEUP_H
#define DEV_WAKEUP_H

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "../../util/monotonic.h"

/* Seconds: longest wait, so that an infinite double still fits into a timespec. */
#define DEV_LONG_WAIT 1e9

static inline void dev_wakeup_signal(int fd)
{
    const uint64_t one = 1;

    while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}

static inline void dev_wakeup_clear(int fd)
{
    uint64_t count;

    while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
        ;
}

/* A time or duration of seconds that is not negative, and not longer than time_t can hold. */
static inline struct timespec dev_timespec(double seconds)
{
    const time_t whole = (time_t)seconds;

    return (struct timespec){whole, (long)((seconds - (double)whole) * 1e9)};
}

/* Wait until it is signalled, or until that time of monotonic_seconds; negative: no timeout. */
static inline void dev_wakeup_wait(int fd, double until)
{
    double left = until < 0 ? 0 : until - monotonic_seconds();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct timespec t;

    if (left < 0)
        left = 0;
    if (left > DEV_LONG_WAIT)
        left = DEV_LONG_WAIT;
    t = dev_timespec(left);
    ppoll(&p, 1, until < 0 ? NULL : &t, NULL);
}

#endif
