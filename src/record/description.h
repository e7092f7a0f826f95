/* SPDX-License-Identifier: BSD-3-Clause */
/* description.h - metadata of a recording */
#ifndef RECORD_DESCRIPTION_H
#define RECORD_DESCRIPTION_H

#include "feed.h"
#include "writer.h"

#define RECORD_PAIRS_MAX 20

/* Texts of one record of metadata. */
struct record_description {
    struct mcap_pair pairs[RECORD_PAIRS_MAX];
    char values[RECORD_PAIRS_MAX][256];
    size_t n;
};

/* Nanoseconds since 1970. */
int64_t record_wall(void);

/* The channel of a topic: what is needed to create it again, and how its times relate to the file's. */
void record_describe_topic(struct record_description *d, const struct feed_topic *t);

void record_describe_host(struct record_description *d, const char *version, unsigned file);

#endif
