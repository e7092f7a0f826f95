/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0 */
/*
 * put.h - how a message gets into a channel
 *
 * Under the writers' lock: find the newest entry; void every entry whose bytes
 * or slot are needed, but never the newest (G1); copy; fill in the entry;
 * commit. The commit word is the only commit point (G2, G5): a writer that dies
 * before it has put nothing, and the next writer finds all it needs in the
 * commit word and the entry that the word names. If the waiter flag is set,
 * committing, clearing the flag and waking are one step (G6). Where readers may
 * lower the flag, that step may find it lowered and only raise it; a second such
 * step then commits.
 *
 * Any number of processes may put at the same time, beside any number of
 * readers. achi_room_take and achi_room_commit are for the one writer of a
 * single-writer channel, which holds the room between the two without a lock.
 */
#ifndef ACHI_PUT_H
#define ACHI_PUT_H

#include "geometry.h"

/* Where the next message goes. */
struct achi_room {
    struct achi_entry *entry;
    unsigned char *place; /* room for the message */
    uint64_t seq;
    uint64_t pos;
    uint64_t off;
};

/* Put a message of n bytes, into a channel without origins. */
enum ach_status achi_put(const struct achi_view *v, const void *buf, uint64_t n);

/* Put a message of n bytes with its origin, into a channel with origins. */
enum ach_status achi_put_origin(const struct achi_view *v, const void *buf, uint64_t n,
                                const struct achi_origin *origin);

/* Make room for a message of up to n bytes. No other writer may put until it is committed. */
enum ach_status achi_room_take(const struct achi_view *v, uint64_t n, struct achi_room *room);

/*
 * Put the n bytes that were written into the room. ACH_CORRUPT if another
 * writer put meanwhile; ACH_LOCKED leaves the room as it is.
 */
enum ach_status achi_room_commit(const struct achi_view *v, const struct achi_room *room,
                                 uint64_t n);

#endif
