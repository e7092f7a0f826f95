/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scan.h - the records of a file, from its beginning to its end
 *
 * Where the bytes stop being records, a file that has an end is damaged, and one without an end was cut off there: after a
 * power failure, zeros may follow.
 */
#ifndef MCAP_SCAN_H
#define MCAP_SCAN_H

#include "decode.h"
#include "fault.h"
#include "source.h"

struct mcap_scan {
    struct mcap_source *source;
    struct mcap_fault *fault;
    bool ended;     /* the file has an end */
    bool load_all;  /* attachments and metadata too, not only what messages need */
    bool skip;      /* jump over what is not loaded, without verifying the checksum of the whole */
    bool skipped;   /* bytes were, so the checksum of the whole is not known */
    bool summary;   /* behind the messages */
    uint64_t whole; /* what precedes this byte are whole records */
    uint64_t end;   /* the byte behind the footer and the magic; 0: not there yet */
    uint64_t
        unknown; /* where the record before begins, if it is of an unknown kind; 0: it is not */
    struct mcap_buffer content;
};

/* The magic at the beginning. */
enum mcap_result mcap_scan_begin(struct mcap_scan *s);

/* The next record. Content that was not loaded is empty. MCAP_END: behind the footer. */
enum mcap_result mcap_scan_next(struct mcap_scan *s, struct mcap_record *record);

/*
 * Does the record just read show that the one before it was a chunk, whose kind is damaged? Indexes follow chunks only.
 * *at: where that one begins. To be called once for each record.
 */
bool mcap_scan_lost_chunk(struct mcap_scan *s, const struct mcap_record *record, uint64_t *at);
#define MCAP_LOST_CHUNK "its kind is damaged"

/* "chunk" or "record" */
const char *mcap_scan_kind(const struct mcap_record *record);

/* The record just read is bad. */
enum mcap_result mcap_scan_bad(struct mcap_scan *s, const struct mcap_record *record,
                               const char *why);

void mcap_scan_free(struct mcap_scan *s);

#endif
