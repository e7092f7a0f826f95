/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * feed.h - all messages of many channels, as recorders and viewers need them
 *
 * A feed opens the channels whose names match, also those that appear later, and makes topics of them: a
 * name, an encoding and a schema that the programs of the field know. A typed channel is a topic with its type. A
 * device's data channel is one or more topics with messages of ROS, such as sensor_msgs/msg/LaserScan, and, if
 * asked, one with the exact bytes. Other channels are topics without an encoding.
 *
 * A feed never slows a writer: it opens channels read-only. While messages come, it reads by timer and raises no
 * waiter's flag, so puts make no system call for it. It sleeps only on channels on which nothing has come for a while.
 * Messages that were overwritten before they were read are counted exactly.
 *
 * One thread. Functions of struct feed_events are called inside feed_turn, and must not call the feed.
 */
#ifndef FEED_H
#define FEED_H

#include <ach.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEED_TOPIC_MAX 128

struct feed_topic {
    uint32_t id;               /* from 1; never used twice in a feed */
    char name[FEED_TOPIC_MAX]; /* the channel's; of a device's data as laser:0/scan */
    const char *encoding;      /* of messages: "cdr", "ros1", "protobuf", "json"; "": unknown */
    const char *schema_name, *schema_encoding;
    const void *schema; /* the text, or a descriptor set */
    size_t schema_size;
    const char *type_name, *type_encoding; /* as the channel stores them; "": it has no type */
    const char *channel;                   /* its name */
    ach_info_t info;                       /* of the channel, as it was opened */
    int64_t clock_offset; /* to the wall clock, in nanoseconds: add it to the channel's times */
    bool keep;            /* the last message counts until the next one, as of a map */
    void *user;           /* for the owner of the feed */
};

struct feed_message {
    struct feed_topic *topic;
    uint64_t sequence; /* in the channel */
    uint64_t missed;   /* right before it */
    int64_t put;       /* wall clock, ns since 1970; as got if nothing tells when it was put */
    int64_t got;
    const void *data; /* valid during the call; "cdr" begins with the 4 bytes of the byte order */
    size_t size;
};

struct feed_events {
    void (*added)(void *context, struct feed_topic *topic);
    /* The topic is freed afterwards. missed: messages of its channel that were missed in all. */
    void (*removed)(void *context, struct feed_topic *topic, uint64_t missed);
    void (*message)(void *context, const struct feed_message *message);
    /* Something cannot be read, in a sentence; at most once for each channel and reason. */
    void (*trouble)(void *context, const char *channel, const char *sentence);
};

struct feed_options {
    /* Of channels, for fnmatch(3), and addresses of devices, as laser:0. None: all channels. */
    const char *const *patterns;
    size_t npatterns;
    const char *const *excluded; /* patterns of channels that are left out */
    size_t nexcluded;
    bool exact;      /* devices: the exact bytes too */
    bool held;       /* begin with the messages that channels hold, not with new ones */
    bool lazy;       /* read only topics that feed_want asks for: for viewers */
    uint64_t period; /* ns between readings of an active channel at most; 0: by its size and rate */
};

struct feed;

/* NULL: see errno. The options are copied, the events and the context stay the caller's. */
struct feed *feed_new(const struct feed_options *options, const struct feed_events *events,
                      void *context);
void feed_free(struct feed *f); /* NULL is accepted; calls removed for each topic */

/*
 * Read what has come, and look for channels that appeared or vanished. Call it when feed_fd is readable and not
 * later than at feed_deadline. It returns after a few milliseconds, also if messages come faster than they can be
 * read: the next turn goes on with the next channel.
 */
void feed_turn(struct feed *f);

/* A descriptor for poll(2), and a time of CLOCK_MONOTONIC in nanoseconds; UINT64_MAX: none. */
int feed_fd(const struct feed *f);
uint64_t feed_deadline(const struct feed *f);

/* Is there a channel that this pattern of the options fits? It may be one that cannot be read. */
bool feed_found(const struct feed *f, size_t pattern);

/* With `lazy`: read this topic, or no longer. */
void feed_want(struct feed *f, struct feed_topic *topic, bool want);

/* Messages that were read, and that were missed, of all channels. */
uint64_t feed_got(const struct feed *f);
uint64_t feed_missed(const struct feed *f);

#endif
