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

/* Request the mechanism, and skip the test if this system lacks it. */
void ready_mechanism(void);

/* Create a channel, open a handle and return its descriptor; close and remove them. */
int ready_begin(ach_channel_t *chan, size_t frame_cnt);
void ready_end(ach_channel_t *chan);

/* Is the descriptor readable now, or within READY_LIMIT_MS? */
bool readable(int fd);
bool becomes_readable(int fd);

/* Get until nothing is left, as an event loop does. Returns the count; stores the last number. */
unsigned get_all(ach_channel_t *chan, uint64_t *number);

/* Is it an eventfd, an io_uring or a device? */
bool is_of_kernel(int fd);

/*
 * Helper threads behind descriptors, of the library or of io_uring: their
 * number, and the id of one. A joined thread may still be counted for a moment.
 */
unsigned helpers_now(pid_t *last);
bool helpers_become(unsigned n);

#endif
