/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel.h"

const struct contender *const kernel_contenders[] = {
    &futex_contender,   &line_contender, &pipe_contender,        &fifo_contender,
    &eventfd_contender, &mq_contender,   &unix_stream_contender, &unix_datagram_contender,
    &tcp_contender,     &udp_contender,  &multicast_contender,   NULL,
};
