/* SPDX-License-Identifier: BSD-3-Clause */
/* topic.h - the topics of a source */
#ifndef LOGS_TOPIC_H
#define LOGS_TOPIC_H

#include "file.h"

struct logs_topics {
    struct logs_topic **list;
    size_t n, room;
};

/* What a topic is made from; texts need not end with a NUL. */
struct logs_topic_of {
    uint16_t id;
    struct mcap_text name, encoding;
    const struct mcap_schema *schema; /* NULL: none */
    const struct mcap_pair *metadata;
    size_t metadata_count;
};

/* The topic of a recording by its id or, if id is 0, by its name. NULL: it is not known yet. */
struct logs_topic *logs_topic_find(const struct logs_topics *t, size_t file, uint16_t id,
                                   const char *name);

/* Add one, with copies of everything. NULL: no memory. */
struct logs_topic *logs_topic_add(struct logs_topics *t, size_t file,
                                  const struct logs_topic_of *of);

void logs_topics_free(struct logs_topics *t);

#endif
