/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * logs.h - the messages of recordings, in the order of their times
 *
 * A recording is a file of MCAP, a log of a channel (docs/log-format.md) or a log of devices
 * (docs/device-log-format.md). Several are merged by wall-clock time. In one recording the order of the
 * messages is kept, even if times run backwards; a file of MCAP with an index is read by time.
 *
 * No byte of a recording is trusted. What is wrong is complained about with the name of the file, and the other
 * recordings are read on.
 */
#ifndef LOGS_H
#define LOGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../mcap/mcap.h"

/* Prints a sentence. */
typedef void logs_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum logs_format { LOGS_MCAP, LOGS_CHANNEL, LOGS_DEVICES };

/* How reading a recording ended, so far. */
enum logs_state {
    LOGS_READING,
    LOGS_COMPLETE, /* it was ended properly, or the format has no end mark */
    LOGS_CUT,      /* its writer was killed */
    LOGS_DAMAGED,  /* not a recording, damaged or unreadable */
    LOGS_LIVE      /* a recorder writes it, so it has no end yet */
};

/* What the messages of one kind in one recording are. Texts end with a NUL. */
struct logs_topic {
    size_t file; /* the index of its recording */
    uint16_t id; /* of its channel in a file of MCAP */
    const char *name;
    const char *encoding;                      /* of messages, as in files of MCAP; "": unknown */
    const char *schema_name, *schema_encoding; /* "": there is no schema */
    const void *schema;
    size_t schema_size;
    const struct mcap_pair *metadata; /* see keys.h; values end with a NUL */
    size_t metadata_count;
    void *user; /* for the owner of the source */
};

struct logs_message {
    struct logs_topic *topic;
    int64_t time;    /* nanoseconds since 1970 */
    int64_t order;   /* the time by which it is sorted: not before that of the message before */
    int64_t publish; /* another time that MCAP has: when it was put */
    bool untimed;    /* in the channel before recording began: `time` is not known */
    uint64_t sequence;
    uint64_t missed;  /* right before it, if the format has it */
    const void *data; /* of the encoding "cdr" with its 4 bytes of encapsulation */
    size_t size;
};

struct logs_source;

/* Open recordings; "-" is standard input. NULL after complaining. */
struct logs_source *logs_open(const char *const *paths, size_t n, logs_complain *complain);
void logs_close(struct logs_source *s); /* NULL is accepted */

/* The next message, valid until the next call. False: there is none. */
bool logs_next(struct logs_source *s, struct logs_message *m);

/*
 * Continue with the first message from this time on. INT64_MIN: from the beginning, with messages that have no
 * time. False after complaining: a recording is a pipe.
 */
bool logs_seek(struct logs_source *s, int64_t time);

/* False: one of them is a pipe. */
bool logs_seekable(const struct logs_source *s);

/* Has each recording an index of times? Otherwise a step back reads from the beginning. */
bool logs_indexed(const struct logs_source *s);

/* Topics that are known: all if logs_indexed or all are logs of channels, else those that were read. */
size_t logs_topics(const struct logs_source *s);
struct logs_topic *logs_topic(const struct logs_source *s, size_t i);
bool logs_topics_complete(const struct logs_source *s);

/* Have both topics the same name and type? */
bool logs_same_kind(const struct logs_topic *a, const struct logs_topic *b);

/* "NAME~TYPE", or "NAME~-" without a type: a recording has several topics of a name if the type has changed. free it */
char *logs_typed_name(const struct logs_topic *t);

/* Does a pattern of fnmatch(3) fit the name of a topic, its NAME~TYPE, or its channel? True without patterns. */
bool logs_matches(const struct logs_topic *t, const char *const *patterns, size_t n);

/* Complain of each pattern that fits no topic that is known. False: none fits any. */
bool logs_patterns_fit(const struct logs_source *s, const char *const *patterns, size_t n,
                       logs_complain *complain);

/* The times of the first and the last message. False: not known without reading all. */
bool logs_times(const struct logs_source *s, int64_t *first, int64_t *last);

size_t logs_files(const struct logs_source *s);
const char *logs_path(const struct logs_source *s, size_t file);
enum logs_format logs_format(const struct logs_source *s, size_t file);
enum logs_state logs_state(const struct logs_source *s, size_t file);
const char *logs_error(const struct logs_source *s, size_t file); /* of LOGS_DAMAGED, or "" */

/* After the last message: are the bytes right that no message needed? False after complaining: one is damaged. */
bool logs_verify(struct logs_source *s);

/* Has any been damaged? */
bool logs_failed(const struct logs_source *s);

/* The reader of a file of MCAP; NULL: it is another format. */
struct mcap_reader *logs_mcap(const struct logs_source *s, size_t file);

/* A value of a topic's metadata; NULL: it has none of this key. */
const char *logs_metadata(const struct logs_topic *t, const char *key);

/* Does a topic have the exact messages of a device: data, commands, requests or answers? */
enum logs_device { LOGS_NO_DEVICE, LOGS_DEVICE_DATA, LOGS_DEVICE_COMMANDS, LOGS_DEVICE_OTHER };

enum logs_device logs_device(const struct logs_topic *t);

/*
 * A message as channels hold it: of CDR without encapsulation. False: it cannot be, *why is the end of a sentence
 * that begins with "its messages".
 */
bool logs_bare(const struct logs_message *m, const void **data, size_t *size, const char **why);

#endif
