/* SPDX-License-Identifier: BSD-3-Clause */
/* push.h - messages of a channel become samples of its topic */
#ifndef ACHDDS_PUSH_H
#define ACHDDS_PUSH_H

#include "route.h"

/*
 * Push new messages: as many as the history of the topic holds, then only the newest. The first
 * call pushes only the newest, and does not count the others as missed. False after complaining:
 * the channel was removed or is damaged.
 */
bool achdds_push(struct achdds_route *r);

#endif
