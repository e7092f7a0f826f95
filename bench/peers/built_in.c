/* SPDX-License-Identifier: BSD-3-Clause */
#include "built_in.h"

const struct contender *const built_in_contenders[] = {
    &ach_contender,
    &ach_newest_contender,
    &ach_in_place_contender,
    &ach_heap_contender,
    &ach_helper_contender,
    &ach_kernel_contender,
    &ach_device_contender,
    &futex_contender,
    &line_contender,
    &pipe_contender,
    &fifo_contender,
    &eventfd_contender,
    &mq_contender,
    &unix_stream_contender,
    &unix_datagram_contender,
    &tcp_contender,
    &udp_contender,
    &multicast_contender,
    NULL,
};
