/* SPDX-License-Identifier: BSD-3-Clause */
/* channel.h - channels of this host: where they are, what one is like, and whether two match */
#ifndef RELAY_CHANNEL_H
#define RELAY_CHANNEL_H

#include <limits.h>

#include "wire.h"

/* The directory of the channels. False: ach_errstr. */
bool relay_channel_directory(char path[PATH_MAX]);

/* An inotify that tells which files appear and vanish there. Negative: errno. */
int relay_channel_watch(void);

/* A channel of a release before 3.1 has no epoch; then its inode number makes one. Never 0. */
uint64_t relay_channel_epoch(const ach_info_t *info);

/* What the open channel is like, without marks. The schema lasts until it is closed. */
enum ach_status relay_channel_terms(const ach_channel_t *chan, const ach_info_t *info,
                                    struct relay_terms *t);

/* May messages of the sender's channel be put into ours? ACH_BAD_TYPE with ach_errstr. */
enum ach_status relay_channel_match(const char *name, const struct relay_terms *ours,
                                    const struct relay_terms *sender);

/* The memory that a channel like this one takes, at most. */
uint64_t relay_channel_memory(const struct relay_terms *t);

/* Create a channel like the sender's, for relayed messages. */
enum ach_status relay_channel_create(const char *name, const struct relay_terms *sender,
                                     uint64_t memory_max);

#endif
