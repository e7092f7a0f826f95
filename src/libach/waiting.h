/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting.h - how a handle waits: by its attributes, or by the environment */
#ifndef ACHI_WAITING_H
#define ACHI_WAITING_H

#include "handle.h"

/* ACH_EINVAL: after telling that one of them is wrong. */
enum ach_status achi_waiting_init(struct achi_handle *h, const ach_attr_t *attr);

#endif
