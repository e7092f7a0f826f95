/* SPDX-License-Identifier: BSD-3-Clause */
/* notice.h - wake waiters without a message: a channel lost its name, a handle is canceled */
#ifndef ACHI_NOTICE_H
#define ACHI_NOTICE_H

#include "handle.h"

/*
 * Make all waiters on the channel check again, also those that are about to
 * sleep. The handle must be writable. Safe in a signal handler.
 */
void achi_nudge(struct achi_handle *h);

/* As achi_nudge, for the waiters on this handle. */
void achi_nudge_own(struct achi_handle *h);

/* Mark the channel as unlinked or replaced, and wake all its waiters. */
void achi_retire(struct achi_handle *h, enum achi_state state);

/* Was the channel's name removed? Asks the file system. */
bool achi_unlinked(const struct achi_handle *h);

/* The same; asks the file system only if the channel is not marked. */
bool achi_nameless(const struct achi_handle *h);

#endif
