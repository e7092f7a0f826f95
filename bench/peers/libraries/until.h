/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * until.h - how long a receiver still waits
 */
#ifndef PEERS_UNTIL_H
#define PEERS_UNTIL_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct until {
    int64_t end_ns;
    unsigned tries;
};

static inline int64_t until_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline struct until until_after(int timeout_ms)
{
    return (struct until){.end_ns = until_now() + (int64_t)timeout_ms * 1000000};
}

/* Rounded up, so that who sleeps for it does not come back early. */
static inline int until_left_ms(const struct until *until)
{
    int64_t left = until->end_ns - until_now();
    return left > 0 ? (int)((left + 999999) / 1000000) : 0;
}

/*
 * For those who spin. The library's own thread may be bound to the same core:
 * let it run. Looks at the clock only now and then, because that takes time.
 */
static inline bool until_over(struct until *until)
{
    sched_yield();
    return ++until->tries % 64 == 0 && until_now() >= until->end_ns;
}

#endif
