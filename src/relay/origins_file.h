/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * origins_file.h - the table of origins of a channel, in a file beside the channel
 *
 * The file is mapped, so a daemon that is killed leaves the table as it was. A channel alone would
 * not tell what it had received of an origin whose messages were overwritten since. Only one daemon
 * may use the file: it holds the source lock of the channel.
 */
#ifndef RELAY_ORIGINS_FILE_H
#define RELAY_ORIGINS_FILE_H

#include "origins.h"

/*
 * The table of the channel with this epoch; empty if the file belongs to another one, or cannot be
 * used. keep false: in memory only. NULL: no memory.
 */
struct relay_origins *relay_origins_open(const char *channel, uint64_t epoch, bool keep);
void relay_origins_close(struct relay_origins *o); /* accepts NULL */

/* The channel was removed. */
void relay_origins_remove(const char *channel);

/* Remove the file of a channel that does not exist any more. NULL: of all. */
void relay_origins_sweep(const char *channel);

#endif
