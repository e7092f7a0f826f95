/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mcap.h - files of the format MCAP: what readers and writers share
 *
 * A file is a sequence of records. Messages are in chunks, which may be compressed. Behind each chunk
 * are indexes of its messages by time, and at the end of the file a summary with an index of all chunks.
 * So a file that was cut off is readable up to its last whole chunk.
 */
#ifndef MCAP_H
#define MCAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every file begins and ends with it. */
#define MCAP_MAGIC "\x89MCAP0\r\n"
#define MCAP_MAGIC_SIZE 8u

/* An opcode and a length precede each record. */
#define MCAP_RECORD_HEADER 9u

/* The largest message, attachment or schema that is written or read. */
#define MCAP_DATA_MAX ((size_t)1 << 30)

enum mcap_opcode {
    MCAP_HEADER = 1,
    MCAP_FOOTER,
    MCAP_SCHEMA,
    MCAP_CHANNEL,
    MCAP_MESSAGE,
    MCAP_CHUNK,
    MCAP_MESSAGE_INDEX,
    MCAP_CHUNK_INDEX,
    MCAP_ATTACHMENT,
    MCAP_ATTACHMENT_INDEX,
    MCAP_STATISTICS,
    MCAP_METADATA,
    MCAP_METADATA_INDEX,
    MCAP_SUMMARY_OFFSET,
    MCAP_DATA_END,
    MCAP_HIDDEN =
        0xda, /* of Ach: damaged bytes that the repair made a record, which readers ignore */
};

enum mcap_compression {
    MCAP_NONE,
    MCAP_LZ4,
    MCAP_ZSTD,
};

/* What came of reading. */
enum mcap_result {
    MCAP_OK,
    MCAP_END, /* after the last message of a file that was ended properly */
    MCAP_CUT, /* the file ends early: its writer was killed */
    MCAP_BAD, /* not such a file, damaged or unreadable */
};

/* Room for a sentence that says why. */
#define MCAP_WHY 256

/* "none", "lz4" or "zstd". False: no such name, or this build does not have it. */
bool mcap_compression_parse(const char *name, enum mcap_compression *compression);

/* A text of a record: UTF-8, not terminated by a NUL. A reader gives any bytes that a file has. */
struct mcap_text {
    const char *at;
    size_t size;
};

struct mcap_text mcap_text(const char *text);

/* An entry of a map of texts. */
struct mcap_pair {
    struct mcap_text key, value;
};

/* What the messages of a channel are. */
struct mcap_schema {
    uint16_t id; /* 0: none */
    struct mcap_text name, encoding;
    const void *data;
    size_t size;
};

struct mcap_channel {
    uint16_t id;
    uint16_t schema; /* 0: none */
    struct mcap_text topic, encoding;
    const struct mcap_pair *metadata; /* without two entries of one key */
    size_t metadata_count;
};

struct mcap_message {
    uint16_t channel;
    uint32_t sequence;
    uint64_t log_time, publish_time; /* nanoseconds since 1970 */
    const void *data;
    size_t size;
};

struct mcap_statistics {
    uint64_t messages, first, last; /* log times in nanoseconds since 1970 */
    uint32_t schemas, channels, attachments, metadata, chunks;
};

struct mcap_attachment {
    uint64_t log_time, create_time;
    struct mcap_text name, media_type;
    const void *data;
    size_t size;
};

/*
 * A pipe has taken nothing for so many milliseconds. True: wait longer; false: the write fails with ETIMEDOUT. Only
 * asked of a descriptor that does not block.
 */
typedef bool mcap_patience(void *context, unsigned waited_ms);

#endif
