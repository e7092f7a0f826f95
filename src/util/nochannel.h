/* SPDX-License-Identifier: BSD-3-Clause */
/* nochannel.h - the error text about a channel that does not exist */
#ifndef NOCHANNEL_H
#define NOCHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#define NO_CHANNEL_TEXT 1024

/* Is the directory of the channels missing? Then no channel can be created there. */
bool no_channel_directory(void);

/*
 * The error text right after ach_open or ach_unlink returned ACH_ENOENT: the directory is
 * missing; or there is no such channel, 'ach mk' creates it, and another name was probably
 * meant. maker: another way to create it, such as "--create", or NULL.
 */
const char *no_channel(char text[NO_CHANNEL_TEXT], const char *name, const char *maker);

/* The same without the advice to create the channel. */
const char *no_channel_to_remove(char text[NO_CHANNEL_TEXT], const char *name);

#endif
