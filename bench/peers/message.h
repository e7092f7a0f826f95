/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message.h - what the messages of the comparison hold
 *
 * The first eight bytes say who sent it and which one it is; when it was sent
 * stands in memory that all processes share. The rest is a pattern of the
 * message's number: bytes of another message, or none at all, show.
 */
#ifndef PEERS_MESSAGE_H
#define PEERS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MIN sizeof(uint64_t)

struct tag {
    uint64_t number;
    unsigned sender;
    bool warm_up; /* does not count */
};

/* Write a message's tag, and, if touch says so, everything. */
void message_write(void *place, size_t size, const struct tag *tag, bool touch);

/* Read a message's tag. False: the rest is not what message_write wrote. */
bool message_read(const void *place, size_t size, struct tag *tag, bool touch);

#endif
