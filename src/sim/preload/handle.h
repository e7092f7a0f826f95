/* SPDX-License-Identifier: BSD-3-Clause */
/* handle.h - which channel a handle is for */
#ifndef SIMP_PRELOAD_HANDLE_H
#define SIMP_PRELOAD_HANDLE_H

#include <ach.h>

#include "files.h"

/* Register a handle opened under this name. NULL: an anonymous channel on the heap. */
void simp_handle_add(const ach_channel_t *chan, const char *name);
void simp_handle_remove(const ach_channel_t *chan);

/* Is it the channel on which a device answers requests? */
bool simp_handle_answers(const ach_channel_t *chan);
/* The event of the handle's channel; SIM_EVENT_POLL if the handle is not registered. */
sim_event_t simp_handle_event(const ach_channel_t *chan);

/* In a child of fork: forget the descriptors, which belong to the parent, but keep the handles. */
void simp_handles_forked(void);

/* Update the readiness of the handle's descriptor, if it has one. */
void simp_handle_moved(ach_channel_t *chan);

#endif
