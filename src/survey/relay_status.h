/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * relay_status.h - the newest messages of each achd that runs on this machine
 *
 * Every user can make channels with the names of those of achd. A program that looks again and again believes only
 * those that trust.h tells; a user who asks once sees all. Their size is bounded, and the number of those.
 */
#ifndef RELAY_STATUS_READ_H
#define RELAY_STATUS_READ_H

#include <ach.h>
#include <stdbool.h>

typedef void relay_text_t(void *context, const char *text, size_t size);

/* Call the function with the figures of each achd, which are JSON. all: of any user. */
enum ach_status relay_status_each(bool all, relay_text_t *fun, void *context);

/* Call it with the newest message of a channel, if there is one. */
void relay_status_newest(const char *channel, bool all, relay_text_t *fun, void *context);

#endif
