/* SPDX-License-Identifier: BSD-3-Clause */
/* unpacked.h - a chunk that was read: verified, decompressed, its messages found */
#ifndef MCAP_UNPACKED_H
#define MCAP_UNPACKED_H

#include "definitions.h"

/* A message: its log time and where it is. */
struct mcap_stamp {
    uint64_t time;
    size_t at;
};

struct mcap_unpacked {
    uint64_t offset;            /* of the chunk in the file */
    struct mcap_packed packed;  /* only times, sizes and checksum stay valid */
    struct mcap_buffer records; /* owns the bytes */
    struct mcap_cursor data;    /* the records in them */
    struct mcap_stamp *stamps;  /* in the order of the file, or sorted */
    size_t count, room, next;
    size_t undefined; /* messages that were left out, because nothing defines their channels */
};

#define MCAP_UNDEFINED "a message in it has a channel that is not defined before"

/*
 * The content of a chunk's record, whose buffer is exchanged with another one. The definitions in it are added. NULL:
 * done; otherwise why it is bad.
 */
const char *mcap_unpack(struct mcap_unpacked *u, struct mcap_buffer *content,
                        struct mcap_definitions *definitions);

/* Add the definitions that a bad chunk seems to have. It was unpacked last. */
void mcap_unpacked_salvage(const struct mcap_unpacked *u, struct mcap_definitions *definitions);

/* By log time; of the same time, in the order of the file. */
void mcap_unpacked_sort(struct mcap_unpacked *u);

/* Message number i. */
void mcap_unpacked_message(const struct mcap_unpacked *u, size_t i, struct mcap_message *message);

void mcap_unpacked_free(struct mcap_unpacked *u);

#endif
