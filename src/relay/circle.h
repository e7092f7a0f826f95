/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * circle.h - whether a channel without origins is sent and received at once
 *
 * A message that was relayed into a channel without origins looks like one of this machine's own.
 * If it is sent on from there, it may come back, and go around for ever. So a daemon
 * that relays such a channel marks its file with a read lock, and refuses if this process or another
 * one has marked it the other way. A lock ends with its process.
 */
#ifndef RELAY_CIRCLE_H
#define RELAY_CIRCLE_H

#include <ach.h>

enum relay_way { RELAY_RECEIVES, RELAY_SENDS };

/*
 * Mark the channel. *fd keeps the mark until it is closed; it may be -1, for a channel without a
 * file. ACH_ENOTSUP: it is relayed the other way.
 */
enum ach_status relay_circle_join(const char *name, enum relay_way way, int *fd);

/* Close it, and set it to -1. */
void relay_circle_leave(int *fd);

#endif
