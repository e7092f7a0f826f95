/* SPDX-License-Identifier: BSD-3-Clause */
/* contents.h - what a recording holds */
#ifndef REC_CONTENTS_H
#define REC_CONTENTS_H

#include <sys/types.h>

#include "../../mcap/reader.h"
#include "json.h"
#include "pick.h"

/* The `user` of its topic. */
struct rec_topic {
    const struct logs_topic *topic;
    uint64_t messages, timed, missed, bytes;
    uint64_t told; /* missed by topics of this name, as recorders have counted; of the first one */
    size_t smallest, largest;
    int64_t first, last;
};

struct rec_contents {
    const char *path;
    struct logs_source *source;
    struct rec_topic **topics;
    size_t n;
    bool quick; /* only what the summary tells */
    bool told;  /* a recorder has written what was missed */
    uint64_t messages, untimed;
    int64_t first, last;
    off_t bytes; /* of the file; -1: a pipe */
};

/* Read everything, or only the summary. False after complaining: it is damaged. */
bool rec_contents_read(struct rec_contents *c, struct rec_pick *p, bool quick);
void rec_contents_finish(struct rec_contents *c);

void rec_contents_print(const struct rec_contents *c);
void rec_contents_json(const struct rec_contents *c, struct json *j);

/* "complete", "cut short", "being recorded", "damaged", or "not read to its end" */
const char *rec_contents_state(const struct rec_contents *c);
const char *rec_contents_format(const struct rec_contents *c);

/* Seconds between the first and the last message; messages per second, NaN: too few to tell. */
double rec_span(int64_t first, int64_t last);
double rec_rate(const struct rec_contents *c, const struct rec_topic *t);

/* A time as 2026-11-18T12:00:00.000000000Z. */
#define REC_TIME_TEXT 64
const char *rec_time_text(int64_t ns, char text[REC_TIME_TEXT]);

#endif
