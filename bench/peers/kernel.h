/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h - the contenders that need no library, and the floors */
#ifndef PEERS_KERNEL_H
#define PEERS_KERNEL_H

#include "contender.h"

extern const struct contender futex_contender, line_contender;
extern const struct contender pipe_contender, fifo_contender;
extern const struct contender unix_stream_contender, unix_datagram_contender;
extern const struct contender tcp_contender, udp_contender, multicast_contender;
extern const struct contender mq_contender, eventfd_contender;

extern const struct contender *const kernel_contenders[]; /* ended by NULL */

#endif
