/* SPDX-License-Identifier: BSD-3-Clause */
/* missed.h - the metadata `ach.missed`: how many messages a file lacks */
#ifndef RECORD_MISSED_H
#define RECORD_MISSED_H

#include "topic.h"
#include "writer.h"

/* Messages that are not in a file, by topic. */
struct record_missed {
    struct mcap_pair *pairs;
    size_t n;
    struct record_lost lost;
    uint64_t forgotten; /* of the seconds before the trigger */
};

void record_missed_init(struct record_missed *m);
void record_missed_add(struct record_missed *m, const char *topic, const struct record_lost *lost);
bool record_missed_write(struct record_missed *m, struct mcap_writer *w);
void record_missed_finish(struct record_missed *m);

#endif
