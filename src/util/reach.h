/* SPDX-License-Identifier: BSD-3-Clause */
/* reach.h - from where a listening socket can be reached */
#ifndef TCP_REACH_H
#define TCP_REACH_H

#include <stdbool.h>

/* False: only from this machine. *interface: the one it is bound to; 0: all. */
bool tcp_reach_find(int fd, unsigned *interface);

#endif
