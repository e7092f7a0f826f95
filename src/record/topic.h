/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topic.h - a topic that is recorded
 *
 * The thread that reads makes topics and never frees them before the other thread has ended. Each member belongs to
 * one of the threads, or does not change.
 */
#ifndef RECORD_TOPIC_H
#define RECORD_TOPIC_H

#include "feed.h"

/* Messages that a file lacks, by reason. */
struct record_lost {
    uint64_t overwritten; /* in the channel, before they were read */
    uint64_t dropped;     /* the buffer was full: the disk is too slow */
    uint64_t oversized;   /* larger than the buffer */
    uint64_t unwritten;   /* writing the file failed */
};

struct record_topic {
    struct feed_topic topic; /* a copy, with copies of what it points to */
    struct record_topic *next;

    /* Of the thread that reads. */
    struct record_lost lost; /* since the last message that was put into the queue */
    uint32_t newest;         /* its sequence */
    bool oversized;          /* it had a message larger than the buffer */

    /* Of the thread that writes. */
    bool gone;     /* it gets no messages any more; guarded by the lock of the list */
    unsigned file; /* in which it has the channel; 0: in none */
    uint16_t channel;
    struct record_lost file_lost;
    uint64_t file_messages; /* given to the writer, or lost because it has failed */
    uint64_t file_copies;   /* of messages of an earlier file */
    void *kept;             /* the last message of a topic that is to be kept */
    size_t kept_size;
    uint32_t kept_sequence;
};

void record_lost_add(struct record_lost *to, const struct record_lost *lost);
uint64_t record_lost_total(const struct record_lost *lost);

/* NULL: no memory. */
struct record_topic *record_topic_new(const struct feed_topic *topic);
void record_topic_free(struct record_topic *t);

#endif
