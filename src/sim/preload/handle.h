/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.h - which channel a handle is for */
#ifndef ACHI_PRELOAD_HANDLE_H
#define ACHI_PRELOAD_HANDLE_H

#include <ach.h>

#include "files.h"

/* The handle was opened under that name; NULL: a heap channel. */
void achi_handle_add(const ach_channel_t *chan, const char *name);
void achi_handle_remove(const ach_channel_t *chan);

/* ACHI_EVENT_POLL if nobody knows. */
/* Is it the channel by which devices answer requests? */
bool achi_handle_answers(const ach_channel_t *chan);
achi_event_t achi_handle_event(const ach_channel_t *chan);

/* In a child of fork: the descriptors are the parent's, and the handles are shared. */
void achi_handles_forked(void);

/* The handle's descriptor, if it has one, says what is true now. */
void achi_handle_moved(ach_channel_t *chan);

#endif
