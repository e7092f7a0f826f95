/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * repair.h - find what is damaged, and index all else
 *
 * First it notes what readers find: the chunks that the index names, or what is read without an index. Between these places it
 * looks for more, but nothing that it finds may cross them. So no message is lost that could be read.
 *
 * Every chunk is read and verified. Bytes that are damaged become a record that readers ignore: only its 9 bytes of kind and
 * length are written over. What follows the last whole record is removed, and the end of the file is written behind that, as by the
 * writer. The indexes behind the last chunk may be missing; then they are written, too.
 *
 * repair_walk.c goes from record to record, and finds the next one behind damage. repair_record.c notes what a good one tells.
 * repair_write.c writes. repair.c begins and ends all that.
 */
#ifndef MCAP_REPAIR_H
#define MCAP_REPAIR_H

#include "buffer.h"
#include "chunk.h"
#include "damage.h"
#include "definitions.h"
#include "find.h"
#include "index.h"
#include "reader.h"
#include "scan.h"
#include "summary.h"
#include "unpacked.h"

/* A header without texts. */
#define REPAIR_HEADER (MCAP_RECORD_HEADER + 8u)

/* A place in the file, and the checksum of all before it. */
struct repair_mark {
    uint64_t offset;
    uint32_t crc;
};

struct mcap_repair {
    struct mcap_source source;
    struct mcap_fault fault;
    struct mcap_scan scan;
    struct mcap_index index; /* as it was */
    enum mcap_index_state state;
    bool *matched; /* chunks of that index that are good */
    struct mcap_places
        sure; /* by offset: where what readers find begins, so nothing may cross it */
    struct mcap_find find;
    bool differs; /* the index is wrong */
    bool changed; /* the checksum of the whole is wrong */
    struct mcap_definitions definitions;
    struct mcap_definitions doubt; /* from damaged chunks */
    struct mcap_summary summary;
    struct repair_mark good;   /* behind the last good record, or the end of the data */
    uint64_t unknown;          /* where the last record begins, if it is of an unknown kind; or 0 */
    bool loose;                /* there are messages outside of chunks */
    uint64_t header_end;       /* of a new header; 0: it is good */
    struct mcap_buffer damage; /* a struct mcap_place each */
    struct mcap_damage why;
    struct mcap_repaired told;
    /* The last chunk, which is not in the summary yet. */
    bool pending;
    struct mcap_unpacked chunk;
    struct mcap_location at;
    struct repair_mark chunk_end;
    struct mcap_chunk entries;
    struct mcap_buffer places; /* of the indexes behind it: a struct repair_place each */
};

struct repair_place {
    uint16_t channel;
    uint64_t offset;
};

/* Where the source is. */
struct repair_mark mcap_repair_here(const struct mcap_repair *r);

/* Add the pending chunk to the summary, with those indexes that were found if they are all. */
void mcap_repair_settle(struct mcap_repair *r, bool indexed);

/* Were all indexes of the pending chunk found? */
bool mcap_repair_indexed(const struct mcap_repair *r);

/* The chunk of the old index that begins there; NULL: there is none. */
const struct mcap_span *mcap_repair_span(const struct mcap_repair *r, uint64_t offset);

/* Note what a record tells. NULL: it is good; or why it is not. */
const char *mcap_repair_record(struct mcap_repair *r, const struct mcap_record *record);

/* A chunk is lost. first > last: nothing tells its times. */
void mcap_repair_lost_chunk(struct mcap_repair *r, uint64_t first, uint64_t last);

/* Bytes that are no good record. */
void mcap_repair_bad(struct mcap_repair *r, uint64_t offset, uint64_t length, const char *what,
                     const char *why);

/* The magic and the header. */
enum mcap_result mcap_repair_begin(struct mcap_repair *r);

/* All records. MCAP_END: up to the end of the data; MCAP_CUT: up to where there are no more. */
enum mcap_result mcap_repair_scan(struct mcap_repair *r);

/* Cut the file, and write what is missing. header: it has a whole magic and header. False: see errno. */
bool mcap_repair_write(struct mcap_repair *r, bool header);

#endif
