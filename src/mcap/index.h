/* SPDX-License-Identifier: BSD-3-Clause */
/* index.h - the summary at the end of a file, as a reader needs it */
#ifndef MCAP_INDEX_H
#define MCAP_INDEX_H

#include "definitions.h"
#include "source.h"

enum mcap_index_state {
    MCAP_INDEX_CUT,     /* the file has no end */
    MCAP_INDEX_NONE,    /* it has an end, and no index of chunks */
    MCAP_INDEX_DAMAGED, /* it has an end, but what precedes it is wrong */
    MCAP_INDEX_WHOLE,
};

/* A record elsewhere in the file. */
struct mcap_place {
    uint64_t offset, length;
};

struct mcap_places {
    struct mcap_place *each;
    size_t count, room;
};

/* A chunk, and the log times of its messages. */
struct mcap_span {
    struct mcap_place place;
    uint64_t first, last;
    uint64_t compressed, uncompressed; /* bytes */
    enum mcap_compression
        compression;             /* MCAP_NONE also if it is unknown: reading the chunk tells */
    size_t channels, n_channels; /* in the index; none: it does not tell */
    bool bad;                    /* it was read */
};

struct mcap_index {
    struct mcap_span *chunks; /* by the time of the first message */
    size_t count, room;
    uint16_t *channels; /* of all chunks */
    size_t n_channels, channels_room;
    uint64_t summary; /* where it begins; 0: there is none */
    struct mcap_places attachments, metadata;
    bool has_statistics;
    struct mcap_statistics statistics;
    uint64_t *counts; /* messages by channel */
    size_t counts_room;
    const char *why; /* what is damaged */
};

/* Sets `definitions`, which were empty, to those of the summary. Of a damaged summary only `why` stays. */
enum mcap_index_state mcap_index_read(struct mcap_index *x, const struct mcap_source *source,
                                      struct mcap_definitions *definitions);

/* Has a chunk messages of this channel? */
bool mcap_index_has(const struct mcap_index *x, const struct mcap_span *span, uint16_t channel);

/* Sort the chunks by their offsets, for a search. */
void mcap_index_by_offset(struct mcap_index *x);

void mcap_index_free(struct mcap_index *x);

#endif
