/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * log.h - the log of a channel: writing it, and reading one that is not trusted
 *
 * docs/log-format.md describes the file. After every flush of the writer, the file
 * can be read up to there. The reader trusts no byte: it never allocates more than
 * a small multiple of the bytes that the file really holds, and at most one message
 * of LOG_MESSAGE_MAX.
 */
#ifndef TOOLS_LOG_H
#define TOOLS_LOG_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>

#include "stream.h"

/* The largest message a log can hold. */
#define LOG_MESSAGE_MAX ((size_t)1 << 30)

/* The most bytes of a log's text header. */
#define LOG_HEADER_MAX 4096u

/* The bytes in front of each message. */
#define LOG_RECORD_SIZE 48u
#define LOG_MAGIC_MESSAGE 0x4d484341u /* "ACHM" */
#define LOG_MAGIC_END 0x45484341u     /* "ACHE" */

/* The header: the channel and the clocks. */
struct log_info {
    char channel[ACH_CHAN_NAME_MAX];
    uint64_t frame_cnt;
    uint64_t frame_size;
    int64_t clock;       /* the channel's clock, a clockid_t */
    bool stamped;        /* times are when messages were put, else when they were read */
    int64_t realtime_ns; /* CLOCK_REALTIME when recording began ... */
    int64_t clock_ns;    /* ... and the channel's clock at that moment */
    bool held_known;     /* false in logs of versions that did not write held_seq */
    uint64_t held_seq;   /* the channel's newest message when recording began; 0: it was empty */
};

struct log_message {
    int64_t time_ns; /* on the channel's clock */
    bool untimed;    /* set by the reader: put before recording began, at an unknown time */
    uint64_t seq;
    uint64_t missed; /* missed right before this one */
    size_t size;
    const void *data;
};

struct log_writer {
    struct sink sink;
    uint64_t messages;
    uint64_t missed;
    uint64_t bytes; /* of messages */
    bool dirty;     /* something was written since the last flush */
};

/* Begin a log. Here and below: on false, see errno. */
bool log_writer_init(struct log_writer *w, int fd, bool compress, const struct log_info *info);
bool log_writer_put(struct log_writer *w, const struct log_message *msg);
bool log_writer_flush(struct log_writer *w);

/* Write the end mark and free the writer's memory. */
bool log_writer_finish(struct log_writer *w);

enum log_result {
    LOG_OK,
    LOG_END, /* after the last message, and the log was ended properly */
    LOG_CUT, /* the file ends without an end mark: its writer was killed */
    LOG_BAD  /* not a log, damaged, or unreadable: see reader.error */
};

struct log_reader {
    struct source source;
    struct log_info info;
    uint64_t offset; /* into the uncompressed log */
    uint64_t messages;
    uint64_t untimed; /* of these messages */
    unsigned char *buf;
    size_t room;
    char error[160];
};

/* Read the header: LOG_OK, or LOG_BAD. Either way call finish. */
enum log_result log_reader_init(struct log_reader *r, int fd);

/* The next message, valid until the next call. */
enum log_result log_reader_next(struct log_reader *r, struct log_message *msg);

void log_reader_finish(struct log_reader *r);

/* Convert a message's time to CLOCK_REALTIME. False: overflow, the log's times are wrong. */
bool log_realtime(const struct log_info *info, int64_t time_ns, int64_t *realtime_ns);

#endif
