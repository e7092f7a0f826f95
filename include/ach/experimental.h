/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * experimental.h - an event loop over channels
 *
 * Older than ach_wait and kept for programs that use it.
 */
#ifndef ACH_EXPERIMENTAL_H
#define ACH_EXPERIMENTAL_H

#include <ach.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* One channel of the loop, and the function that handles its new messages. */
struct ach_evhandler {
    struct ach_channel *channel;
    void *context;
    /* ACH_OK: messages were got. ACH_STALE_FRAMES: none were. Anything else ends the loop. */
    enum ach_status (*handler)(void *context, struct ach_channel *channel);
};

/* Call the periodic function whenever the period has passed. */
#define ACH_EV_O_PERIODIC_TIMEOUT 0x01

/* Call the periodic function whenever messages were got. */
#define ACH_EV_O_PERIODIC_INPUT 0x02

/**
 * ach_evhandle - handle the messages of several channels
 * @handlers: the channels and their functions
 * @n: how many, at most ACH_WAIT_MAX; 0 with ACH_EV_O_PERIODIC_TIMEOUT is a timer
 * @period: with ACH_EV_O_PERIODIC_TIMEOUT: how often to call @periodic
 * @periodic: called as @options say, or NULL
 * @context: passed to @periodic
 * @options: ACH_EV_O_PERIODIC_TIMEOUT, ACH_EV_O_PERIODIC_INPUT, both or none
 *
 * Runs until a function returns something other than ACH_OK or
 * ACH_STALE_FRAMES, a handle is canceled, or a signal handler has run while the
 * loop slept. It sleeps as ach_wait does with ACH_O_INTERRUPT.
 *
 * Allocates: for descriptors, at the first call. Blocks: yes. Real-time: yes, after
 * that. Signal handler: no.
 *
 * Returns: the status of the function that ended the loop; ACH_OK after a signal;
 * ACH_CANCELED; ACH_EINVAL; as ach_wait.
 *
 * Since: 3.0
 */
enum ach_status ach_evhandle(struct ach_evhandler *handlers, size_t n,
                             const struct timespec *period,
                             enum ach_status (*periodic)(void *context), void *context,
                             int options);

/**
 * ach_evhandle_epoll - the same as ach_evhandle
 * @handlers: as there
 * @n: as there
 * @period: as there
 * @periodic: as there
 * @context: as there
 * @options: as there
 *
 * In Ach 2 it was for kernel channels only. Here both functions accept all channels.
 *
 * Allocates: as ach_evhandle. Blocks: yes. Real-time: as ach_evhandle. Signal handler: no.
 *
 * Returns: as ach_evhandle.
 *
 * Since: 3.1
 */
enum ach_status ach_evhandle_epoll(struct ach_evhandler *handlers, size_t n,
                                   const struct timespec *period,
                                   enum ach_status (*periodic)(void *context), void *context,
                                   int options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
