/* SPDX-License-Identifier: BSD-3-Clause */
/* output.h - the file, or the files, that a recorder writes */
#ifndef RECORD_OUTPUT_H
#define RECORD_OUTPUT_H

#include <pthread.h>

#include "queue.h"
#include "record.h"
#include "sync.h"
#include "topic.h"
#include "writer.h"

struct record_schema;

struct record_output {
    const struct record_settings *options;
    char *path;    /* of the present file */
    unsigned file; /* its number, from 1 */
    int fd;
    struct record_sync sync;
    struct mcap_writer *writer;
    struct record_schema *schemas; /* of the present file */
    int64_t begun;                 /* CLOCK_MONOTONIC */
    int64_t flushed;
    bool dirty, failed;
    bool ruined;   /* by another program: the file is lost */
    int64_t ended; /* CLOCK_MONOTONIC; 0: not yet; atomic */

    /* Of files that are finished. */
    uint64_t messages, bytes;
    struct record_lost lost;

    uint64_t forgotten; /* before the trigger, for lack of room; the first file tells it; atomic */

    uint64_t written; /* bytes of all files; atomic: the thread that reads shows it */

    pthread_mutex_t lock; /* of the list */
    struct record_topic *topics;
    bool fresh; /* the list has topics that the file does not have */
};

/* Begin the first file. False after complaining. */
bool record_output_open(struct record_output *o, const struct record_settings *options);

/* Nothing new will come: from now on, the reader of a pipe may stop the rest for a few seconds only. For any thread. */
void record_output_ending(struct record_output *o);

/* Finish the file and free everything. False after complaining, now or before. */
bool record_output_close(struct record_output *o);

/* For the thread that reads. */
void record_output_add(struct record_output *o, struct record_topic *t);
void record_output_remove(struct record_output *o, struct record_topic *t);

/* For the thread that writes. False after complaining: writing has failed, and the message is only counted. */
bool record_output_message(struct record_output *o, const struct record_entry *e);

/* Write the chunk so far, and bring it to the disk, if it is time. Returns when to call again; INT64_MAX: after a message. */
int64_t record_output_flush(struct record_output *o);

/* Bytes of all files. For any thread. */
uint64_t record_output_bytes(const struct record_output *o);

#endif
