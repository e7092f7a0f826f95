/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h - the cells of a map are compressed on the wire
 *
 * Only in answers to map's GET_DATA, and only there: inside a robot they are as they are.
 */
#ifndef ACHI_MAP_H
#define ACHI_MAP_H

#include <ach/message.h>

bool achi_map_is(const ach_header_t *h);

/*
 * The same message with its cells compressed, or as they were. The caller's
 * reference is taken over. What cannot be compressed is returned as it is.
 */
ach_message_t *achi_map_pack(ach_message_t *m);

/* As a message of these bytes. ACH_CORRUPT: they are not compressed cells of such a map. */
ach_status_t achi_map_unpack(const ach_header_t *h, const unsigned char *bytes, size_t size,
                             ach_message_t **m);

#endif
