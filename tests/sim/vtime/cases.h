/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cases.h - cases of calls in virtual time
 *
 * A case makes every call that src/sim/preload/calls.table assigns to it. In the cost model "free"
 * virtual time moves only while a thread waits, so each duration is exact.
 */
#ifndef TEST_VTIME_CASES_H
#define TEST_VTIME_CASES_H

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll

/* A name of old programs, which a C library may lack: weak, so it may be NULL. */
#define OLDER __attribute__((weak))

struct vtime_case {
    const char *name;
    void (*run)(void);
};

extern const struct vtime_case vtime_clocks[], vtime_threads[], vtime_signals[], vtime_streams[],
    vtime_queues[], vtime_processes[], vtime_raw[], vtime_numbers[], vtime_approximate[],
    vtime_refused[], vtime_errors[];

static inline int64_t now(void)
{
    return (int64_t)check_now_ns();
}

static inline struct timespec spec(int64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000),
                             .tv_nsec = (long)(ns % 1000000000)};
}

/* The time of a clock, ns from now. */
static inline struct timespec from(clockid_t clock, int64_t ns)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return spec(t.tv_sec * 1000000000ll + t.tv_nsec + ns);
}

/* Fail unless the statement takes exactly ns nanoseconds of virtual time. */
#define TAKES_NS(ns, statement)                                                                    \
    do {                                                                                           \
        int64_t began_ = now(), took_;                                                             \
        statement;                                                                                 \
        took_ = now() - began_;                                                                    \
        if (took_ != (int64_t)(ns)) {                                                              \
            fprintf(stderr, "%s:%d: %s took_ %lld ns\n", __FILE__, __LINE__, #statement,           \
                    (long long)took_);                                                             \
            check_failures++;                                                                      \
        }                                                                                          \
    } while (0)

#define TAKES(ms, statement) TAKES_NS((ms)*MS, statement)

/* A system call by an instruction of this program. Returns the negative errno on errors. */
long raw(long number, long a, long b, long c, long d, long e, long f);

#endif
