/* SPDX-License-Identifier: BSD-3-Clause */
/* ready.h - what the tests of handles' descriptors share */
#ifndef READY_H
#define READY_H

#include "conformance.h"

#define READY_LIMIT_MS ((int)check_time(20000))
#define IS_A_FILE "a kernel channel's descriptor is its file"

/* The mechanism under test. */
extern enum ach_ready ready_wanted;

/* Three tests of one function: a test for each mechanism. */
#define READY_TEST(fun)                                                                            \
    static void fun##_ring(void)                                                                   \
    {                                                                                              \
        ready_wanted = ACH_READY_IO_URING;                                                         \
        fun();                                                                                     \
    }                                                                                              \
    static void fun##_thread(void)                                                                 \
    {                                                                                              \
        ready_wanted = ACH_READY_THREAD;                                                           \
        fun();                                                                                     \
    }                                                                                              \
    static void fun##_device(void)                                                                 \
    {                                                                                              \
        ready_wanted = ACH_READY_KERNEL;                                                           \
        fun();                                                                                     \
    }
#define READY_ROWS(name, fun, backends, why_not)                                                   \
    {name "-io_uring", fun##_ring, backends, why_not},                                             \
        {name "-thread", fun##_thread, backends, why_not},                                         \
    {                                                                                              \
        name "-device", fun##_device, KERNEL, NO_DEVICE                                            \
    }

/* Ask for the mechanism, and skip the test if this system has it not. */
void ready_mechanism(void);

/* A channel, a handle and its descriptor; and the end of both. */
int ready_begin(ach_channel_t *chan, size_t frame_cnt);
void ready_end(ach_channel_t *chan);

/* Now, and before the time limit. */
bool readable(int fd);
bool becomes_readable(int fd);

/* Get until there is nothing, as a loop would: how often, and the last number. */
unsigned get_all(ach_channel_t *chan, uint64_t *number);

/* Is it an eventfd, an io_uring or a device? */
bool is_of_kernel(int fd);

/*
 * Threads that work for descriptors, of the library or of the kernel's rings:
 * how many, and the id of one. One that was joined may still show for a moment.
 */
unsigned helpers_now(pid_t *last);
bool helpers_become(unsigned n);

#endif
