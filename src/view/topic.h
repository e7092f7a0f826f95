/* SPDX-License-Identifier: BSD-3-Clause */
/* topic.h - a stream of messages of one type, of a channel, a device or a recording */
#ifndef VIEW_TOPIC_H
#define VIEW_TOPIC_H

#include <stdbool.h>
#include <stdint.h>

#include "blob.h"
#include "codec.h"

/* How a page draws it. */
enum view_picture {
    VIEW_PICTURE_NONE,
    VIEW_PICTURE_IMAGE,
    VIEW_PICTURE_COMPRESSED,
    VIEW_PICTURE_GRID,
};

struct view_topic {
    struct view_topic *next, *before;
    uint32_t id; /* grows along the list */
    char *name, *channel;
    char *encoding; /* "": viewers know none; then type_encoding may be one of ours */
    char *type_name, *type_encoding; /* of the channel */
    char *schema_name, *schema_encoding;
    void *schema;
    size_t schema_size;
    enum view_picture picture;
    struct value_codec *codec; /* NULL before the first use, and if messages cannot be decoded */
    bool codec_tried;
    struct view_subscriber *subscribers;
    uint64_t missed;   /* messages of the channel that came too fast for this server, in all */
    uint64_t recorded; /* messages in the recording; 0: this is no recording */
    void *source;      /* what the source of messages calls it */
    /* The newest message while there are subscribers: later ones begin with it. NULL: none yet. */
    struct view_blob *newest;
    uint64_t newest_sequence;
    int64_t newest_put;
};

struct view_message {
    struct view_topic *topic;
    uint64_t sequence, missed; /* in the channel; right before it */
    int64_t put;               /* nanoseconds since 1970 */
    const void *data;          /* for "cdr" with the 4 bytes that tell the byte order */
    size_t size;
    /* Made once for all subscribers, see below. */
    struct view_blob *blob;
    struct value_tree tree;
    bool tried, decoded;
};

/* Who gets the messages of a topic. In the memory of its owner. */
struct view_subscriber {
    struct view_subscriber *next;
    struct view_topic *topic; /* NULL: none */
    void (*message)(struct view_subscriber *s, struct view_message *m);
};

/* What a topic is, to be copied. */
struct view_topic_type {
    const char *name, *channel, *encoding, *schema_name, *schema_encoding;
    const char *type_name, *type_encoding;
    const void *schema;
    size_t schema_size;
};

struct view_topic *view_topic_new(uint32_t id, const struct view_topic_type *type);
void view_topic_free(struct view_topic *t);

/* Can it be told to viewers of others: do they know its encoding, and is its schema not too large? */
bool view_topic_is_known(const struct view_topic *t);

/* How to decode its messages; NULL: nobody knows. */
const struct value_codec *view_topic_codec(struct view_topic *t);

/* Free the memory of that, if nobody reads the topic. */
void view_topic_rest(struct view_topic *t);

/* Without what "cdr" has in front. False: it cannot be such a message. */
bool view_message_body(const struct view_message *m, const void **body, size_t *size);

/* The decoded message, which lives as long as the message. NULL: it cannot be decoded. */
const struct value *view_message_value(struct view_message *m);

/* The bytes as a blob. NULL: no memory. The caller gets no reference. */
struct view_blob *view_message_blob(struct view_message *m);

void view_message_finish(struct view_message *m);

/* Keep it as the newest message of its topic. */
void view_topic_keep(struct view_message *m);
void view_topic_forget(struct view_topic *t);

/* Hand the newest message to a subscriber, if there is one. */
void view_topic_repeat(struct view_topic *t, struct view_subscriber *s);

#endif
