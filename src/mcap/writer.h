/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * writer.h - write a file of the format MCAP
 *
 * Memory is bounded by two chunks, which may be as large as the largest message, and 24 bytes for each message in a
 * chunk; in the whole file by 100 bytes for each chunk and 10 bytes for each channel in it. The file is written from its
 * beginning to its end, so it may be a pipe.
 *
 * After a failed write, such as that of a full disk, the file is cut back to its last whole chunk, and every
 * later call fails. mcap_writer_metadata and mcap_writer_finish then still try to write metadata and the end of the
 * file, for which the space of the chunk that was cut off may suffice. The file is readable in any case.
 *
 * A program that writes to a pipe, or has a limit of the size of files, ignores SIGPIPE or SIGXFSZ: then writes fail with
 * EPIPE or EFBIG.
 *
 * All functions may be called from one thread at a time. On false, see errno.
 */
#ifndef MCAP_WRITER_H
#define MCAP_WRITER_H

#include "mcap.h"

struct mcap_writer_options {
    enum mcap_compression compression;
    size_t chunk_size;       /* bytes of messages before compression; 0: 1 MiB */
    const char *library;     /* the name of the program */
    const char *profile;     /* "" or the name of a profile, such as "ros2" */
    mcap_patience *patience; /* NULL: without limit */
    void *context;           /* of patience */
};

struct mcap_writer;

/* May a recording be written there? A file must be empty, because places in it are counted from its start. */
bool mcap_writer_fits(int fd);

/* Begin a recording in an empty file or a pipe, which stays the caller's. NULL: see errno. */
struct mcap_writer *mcap_writer_new(int fd, const struct mcap_writer_options *options);

/*
 * The id is ignored; a new one is given, from 1. 0: failed, ENOSPC if there are 65535 already, EINVAL if the schema of a
 * channel is unknown or two entries have one key. Texts that are not UTF-8 get question marks.
 */
uint16_t mcap_writer_schema(struct mcap_writer *w, const struct mcap_schema *schema);
uint16_t mcap_writer_channel(struct mcap_writer *w, const struct mcap_channel *channel);

/* EMSGSIZE: it is too large; EINVAL: there is no such channel. Nothing is written until the chunk is full, or flushed. */
bool mcap_writer_message(struct mcap_writer *w, const struct mcap_message *message);

/* These end the chunk first. Metadata is written also after a failed write, if there is space. */
bool mcap_writer_attachment(struct mcap_writer *w, const struct mcap_attachment *attachment);
bool mcap_writer_metadata(struct mcap_writer *w, struct mcap_text name,
                          const struct mcap_pair *pairs, size_t count);

/* End the chunk and write it, so that its messages can be read. */
bool mcap_writer_flush(struct mcap_writer *w);

/* Messages so far, and bytes that the file has. */
uint64_t mcap_writer_messages(const struct mcap_writer *w);
uint64_t mcap_writer_bytes(const struct mcap_writer *w);

/* Messages of a channel in the chunks that the file has. */
uint64_t mcap_writer_count(const struct mcap_writer *w, uint16_t channel);

/* Write the end of the file and free the writer; NULL is accepted. False: a write has failed, now or before. */
bool mcap_writer_finish(struct mcap_writer *w);

/* Free the writer and leave the file without its end, as that of a program that was killed. */
void mcap_writer_abandon(struct mcap_writer *w);

#endif
