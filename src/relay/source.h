/* SPDX-License-Identifier: BSD-3-Clause */
/* source.h - a channel of this host whose messages are sent to a peer */
#ifndef RELAY_SOURCE_H
#define RELAY_SOURCE_H

#include "wire.h"

/*
 * Two handles: the descriptor of the first one wakes the loop, the second one gets the messages. A
 * get on a handle with a descriptor makes system calls that renew the descriptor. With two handles
 * they are made after the message was sent.
 */
struct relay_source {
    ach_channel_t waker, chan;
    bool open, timestamps, relayed;
    clockid_t clock;
    bool renewed;  /* since the last message */
    int fd;        /* of ach_channel_fd of the waker */
    int circle;    /* see circle.h; of a channel that stores no origins */
    size_t tables; /* bytes of page tables that map the channel */
    uint64_t epoch;

    /* The message that was got last. */
    unsigned char *bytes;
    size_t size, room;
    uint64_t seq;
    bool local; /* it was first put into this channel */
    ach_origin_t origin;
};

enum ach_status relay_source_open(struct relay_source *s, const char *name, struct relay_terms *t);
void relay_source_close(struct relay_source *s);

/* Was the channel removed or replaced? */
bool relay_source_lost(const struct relay_source *s);

/* Is there a message that was not got? */
bool relay_source_has(struct relay_source *s);

/* All messages were got: wait for the next one. Then get once more, some may have come. */
void relay_source_renew(struct relay_source *s);

/*
 * The next message, or the newest. ACH_EAGAIN: there is none. ACH_ENOENT: the channel was
 * replaced. ACH_FAILED_SYSCALL: no memory.
 */
enum ach_status relay_source_get(struct relay_source *s, bool all);

#endif
