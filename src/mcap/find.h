/* SPDX-License-Identifier: BSD-3-Clause */
/* find.h - the next record behind bytes that are none */
#ifndef MCAP_FIND_H
#define MCAP_FIND_H

#include "source.h"

/*
 * The first chunk, attachment, metadata or end of the data that begins at this byte or behind it: the lengths in it agree. 0:
 * there is none. What it holds is not verified.
 */
uint64_t mcap_find_record(const struct mcap_source *s, uint64_t from);

/* What was found last, and the end of the bytes in which it was looked for: of a bad record, or of the file. */
struct mcap_find {
    uint64_t found, limit;
};

/*
 * Where to go on behind a bad record from `offset` to `behind`. If the lengths in it agree, there. Otherwise its length may be what is
 * damaged, so a record within it is looked for. One that was only found, and is bad, is none: its length means nothing.
 */
uint64_t mcap_find_behind_bad(struct mcap_find *f, const struct mcap_source *s, uint64_t offset,
                              uint64_t behind);

#endif
