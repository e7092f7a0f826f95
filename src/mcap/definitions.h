/* SPDX-License-Identifier: BSD-3-Clause */
/* definitions.h - the schemas and channels of a file, as far as it has been read */
#ifndef MCAP_DEFINITIONS_H
#define MCAP_DEFINITIONS_H

#include "decode.h"

/* Schemas and channels of a file, in all. */
#define MCAP_DEFINITIONS_MAX ((size_t)1 << 29)

struct mcap_definition;

/* By id; NULL: there is none. */
struct mcap_ids {
    struct mcap_definition **each;
    size_t room;
};

/* Zeros: none yet. */
struct mcap_definitions {
    struct mcap_ids schemas, channels;
    size_t bytes;
    /* For the repair: */
    bool invents;                         /* channels that are not defined */
    size_t invented;                      /* channels */
    const struct mcap_definitions *doubt; /* where to look before: what damaged bytes define */
};

void mcap_definitions_free(struct mcap_definitions *d);

/* Add what a record of such an opcode defines. NULL: done; otherwise why it is bad. */
const char *mcap_definitions_add(struct mcap_definitions *d, const struct mcap_record *record);

/*
 * Define a channel that messages have and nothing defines: as damaged bytes do, or by its number, until there is a
 * definition. False: these definitions do not invent.
 */
bool mcap_definitions_invent(struct mcap_definitions *d, uint16_t id);

/* Append the records of all to a summary, and count them. */
void mcap_definitions_collect(const struct mcap_definitions *d, struct mcap_summary *to);

/* NULL: it is not known. */
const struct mcap_schema *mcap_definitions_schema(const struct mcap_definitions *d, uint16_t id);
const struct mcap_channel *mcap_definitions_channel(const struct mcap_definitions *d, uint16_t id);

#endif
