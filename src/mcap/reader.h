/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reader.h - read a file of the format MCAP, whose bytes are not trusted
 *
 * A file with a summary is read by its index: the messages in the order of their log times, from any time
 * on, without the chunks in between. A file that was cut off, one without an index and a pipe are read from the
 * beginning to the end, in the order of the file.
 *
 * The reader allocates no more than a small multiple of the bytes that the file holds, plus MCAP_CHUNK_MAX for
 * each chunk whose times overlap. Checksums are verified where the file has them. What is bad is left out, and the result
 * at the end is MCAP_BAD.
 */
#ifndef MCAP_READER_H
#define MCAP_READER_H

#include "mcap.h"

/* The largest chunk after decompression. */
#define MCAP_CHUNK_MAX ((size_t)1 << 31)

struct mcap_reader;

/* The file stays the caller's. NULL: see errno. A file that is none gives MCAP_BAD at the first read. */
struct mcap_reader *mcap_reader_new(int fd);
void mcap_reader_free(struct mcap_reader *r); /* NULL is accepted */

/* Has it an index, so that times can be sought? */
bool mcap_reader_indexed(const struct mcap_reader *r);

/* The next message, valid until the next call. */
enum mcap_result mcap_reader_next(struct mcap_reader *r, struct mcap_message *message);

/*
 * Continue with the first message whose log time is not before this one. In a file without an index this
 * reads from the beginning. ESPIPE: it is a pipe.
 */
bool mcap_reader_seek(struct mcap_reader *r, uint64_t log_time);

/*
 * By the index: of the chunks with messages of a channel, the one that begins last, up to a log time. Messages of the channel
 * in this one and in those that begin before it have log times up to *last. False: there is none.
 */
bool mcap_reader_chunk(const struct mcap_reader *r, uint16_t channel, uint64_t up_to,
                       uint64_t *first, uint64_t *last);

/* What has been read so far, or all if there is an index; NULL: there is none of this id. */
const struct mcap_channel *mcap_reader_channel(const struct mcap_reader *r, uint16_t id);
const struct mcap_schema *mcap_reader_schema(const struct mcap_reader *r, uint16_t id);

/* Messages of a channel by the statistics of the file. 0: none, or there are no statistics. */
uint64_t mcap_reader_count(const struct mcap_reader *r, uint16_t channel);

/* False: the file has no statistics. */
bool mcap_reader_statistics(const struct mcap_reader *r, struct mcap_statistics *statistics);

/* Chunks by their compression, and their bytes. False: the file has no index. */
struct mcap_sizes {
    uint64_t compressed, uncompressed;
    uint64_t chunks[MCAP_ZSTD + 1];
};

bool mcap_reader_sizes(const struct mcap_reader *r, struct mcap_sizes *sizes);

const char *mcap_reader_profile(const struct mcap_reader *r);
const char *mcap_reader_library(const struct mcap_reader *r);

/*
 * Call a function for each attachment or each metadata record, from the beginning of the file, also if it has
 * no index. Data is valid during the call. False from the function ends that. MCAP_END: all were given; MCAP_BAD: all that
 * are good. The messages continue where they were. Not for a pipe.
 */
typedef bool mcap_attachment_fun(void *context, const struct mcap_attachment *attachment);
typedef bool mcap_metadata_fun(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                               size_t count);
/* Read all bytes once more: are the checksums of the file and of its attachments right? MCAP_END: yes. Not for a pipe. */
enum mcap_result mcap_reader_verify(struct mcap_reader *r);

enum mcap_result mcap_reader_attachments(struct mcap_reader *r, mcap_attachment_fun *fun,
                                         void *context);
enum mcap_result mcap_reader_metadata(struct mcap_reader *r, mcap_metadata_fun *fun, void *context);

/*
 * Is it a pipe? Then the functions are called by mcap_reader_next from now on, until one returns false. What is bad makes
 * the result at the end MCAP_BAD.
 */
bool mcap_reader_beside(struct mcap_reader *r, mcap_attachment_fun *attachment,
                        mcap_metadata_fun *metadata, void *context);

/* Chunks and records that are known to be bad. *why: where and why the first one is that was read since the last seek. */
uint64_t mcap_reader_damage(const struct mcap_reader *r, const char **why);

/* Why it was MCAP_BAD or MCAP_CUT: a sentence with the position in the file. */
const char *mcap_reader_error(const struct mcap_reader *r);

/* What a repair found. Times are of damaged chunks, as far as they are known: first <= last. */
struct mcap_repaired {
    bool written;     /* the file was changed, if only by its indexes */
    uint64_t removed; /* bytes behind the last whole record, which are not in the file any more */
    uint64_t damaged; /* bytes that stay in the file, where readers ignore them */
    uint64_t chunks;  /* that are damaged */
    uint64_t first, last;
    uint64_t unnamed; /* channels whose definitions were damaged */
    char why
        [MCAP_WHY]; /* where and why the first bytes are damaged; of MCAP_BAD: why there is no repair */
};

/*
 * Verify all chunks of a file. Give it its indexes and its end, if it was cut off or anything is damaged: what is behind the last whole
 * record is removed; what is damaged before it stays, as a record that readers ignore. A channel whose
 * definition is damaged gets the one that damaged bytes seem to have, or the name unknown-ID. Nothing changes if
 * nothing is damaged. The file is open for reading and writing.
 *
 * Every message that a reader gives before the repair, by the index or without one from front to back, it gives after it, too. So a
 * chunk stays if its checksum is right and the index names it, or reading without one gets to it. What is behind damage is read
 * as mcap_find_behind_bad tells.
 *
 * MCAP_BAD: the file is as before, unless a write failed.
 */
enum mcap_result mcap_repair(int fd, struct mcap_repaired *told);

#endif
