/* SPDX-License-Identifier: BSD-3-Clause */
/* built_in.h - the contenders that need no library: channels, floors, what the kernel has */
#ifndef PEERS_BUILT_IN_H
#define PEERS_BUILT_IN_H

#include <time.h>

#include "contender.h"

extern const struct contender ach_contender, ach_newest_contender, ach_polled_contender,
    ach_helper_contender, ach_heap_contender, ach_in_place_contender, ach_kernel_contender,
    ach_device_contender;
extern const struct contender futex_contender, line_contender;
extern const struct contender pipe_contender, fifo_contender;
extern const struct contender unix_stream_contender, unix_datagram_contender;
extern const struct contender tcp_contender, udp_contender, multicast_contender;
extern const struct contender mq_contender, eventfd_contender;

/* For start: why there are no kernel channels, or NULL. */
const char *kernel_channels_missing(void);

/* Messages in a channel. With a large one, its memory is twice that: as the rings of others. */
static inline size_t channel_history(size_t size)
{
    return size > 65536 ? 1 : 64;
}

static inline struct timespec milliseconds(int ms)
{
    return (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};
}

#endif
