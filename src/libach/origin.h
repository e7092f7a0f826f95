/* SPDX-License-Identifier: BSD-3-Clause */
/* origin.h - epochs of channels and origins of relayed messages */
#ifndef ACHI_ORIGIN_H
#define ACHI_ORIGIN_H

#include "handle.h"

/* A random number that is not 0, for a new channel. */
uint64_t achi_epoch(void);

/* Of a message that was not relayed. */
extern const struct achi_origin achi_no_origin;

/* ACH_ENOTSUP with ach_errstr: the channel has no room for origins. */
enum ach_status achi_no_origins(void);

#endif
