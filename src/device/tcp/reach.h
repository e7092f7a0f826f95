/* SPDX-License-Identifier: BSD-3-Clause */
/* reach.h - from where a listening socket can be reached */
#ifndef ACHI_REACH_H
#define ACHI_REACH_H

#include <stdbool.h>

/* False: from this machine only. *interface: the one whose address it has; 0: it has all. */
bool achi_reach_find(int fd, unsigned *interface);

#endif
