/* SPDX-License-Identifier: BSD-3-Clause */
/* relay_status.h - the newest messages of each achd that runs on this machine */
#ifndef RELAY_STATUS_READ_H
#define RELAY_STATUS_READ_H

#include <ach.h>

typedef void relay_text_t(void *context, const char *text, size_t size);

/* Call the function with the figures of each achd, which are JSON. */
enum ach_status relay_status_each(relay_text_t *fun, void *context);

/* Call it with the newest message of a channel, if there is one. */
void relay_status_newest(const char *channel, relay_text_t *fun, void *context);

#endif
