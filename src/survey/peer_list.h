/* SPDX-License-Identifier: BSD-3-Clause */
/* peer_list.h - the list of the channels that a host advertises, as JSON of src/relay/listing.h */
#ifndef PEER_LIST_H
#define PEER_LIST_H

#include "discovery.h"
#include "value.h"

/* Copy a member that is a text or a number, cut to the room; "" if there is none. */
void peer_list_text(const struct value *object, const char *name, char *to, size_t room);

/* A member that is a list; NULL if there is none. */
const struct value *peer_list_items(const struct value *object, const char *name);

/*
 * Report a host and its channels. @host: what is known of it; its name and transport are replaced
 * by those in the list.
 */
void peer_list_read(const char *text, size_t size, const struct discovered *host,
                    discovered_t *report, void *context);

#endif
