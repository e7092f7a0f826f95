/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * type.h - the type of a channel's messages, in the channel's memory
 *
 * The core reserves type_size bytes for it and knows no more. They hold a struct achi_type_head,
 * then name, encoding, schema encoding and schema, each with a NUL behind it. Whoever may write to
 * the channel can forge them, so a handle copies them and checks the copy.
 */
#ifndef ACHI_TYPE_H
#define ACHI_TYPE_H

#include "handle.h"

/* Bytes that a type takes in a channel. ACH_EINVAL with ach_errstr if it is not a valid one. */
enum ach_status achi_type_size(const ach_channel_type_t *type, uint32_t *size);

/* Write a valid type, and its size of bytes. */
void achi_type_pack(unsigned char *bytes, const ach_channel_type_t *type);

/* Write the type into a new channel whose geometry has room for it. NULL: there is none. */
void achi_type_store(struct ach_header *hdr, const struct achi_geometry *g,
                     const ach_channel_type_t *type);

/* ACH_OK if the channel has this type. Else ACH_BAD_TYPE, ACH_CORRUPT, ACH_BAD_SHM_FILE. */
enum ach_status achi_type_check(struct achi_handle *h, const char *name,
                                const ach_channel_type_t *wanted);

/* Free the handle's copy of the type. */
void achi_type_drop(struct achi_handle *h);

#endif
