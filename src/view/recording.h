/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * recording.h - a file of the format MCAP as a source of messages
 *
 * All clients see the same time. After a seek, and for a topic that nobody read before, the newest
 * messages up to that time are read first, so that a map that was sent once is seen: by the index
 * of the file, or, if it has none, from its beginning. Reading is done in short pieces, so that
 * clients are served in between.
 */
#ifndef VIEW_RECORDING_H
#define VIEW_RECORDING_H

#include "hub.h"
#include "reader.h"

struct recording_topic {
    struct view_topic *topic; /* NULL: the source is not running */
    bool wanted, fresh;       /* fresh: nobody read it before */
    struct view_blob *newest; /* up to the time that was sought */
    uint64_t time;
    uint32_t sequence;
    uint64_t count; /* messages in the file */
};

/* For the newest message of each topic, by the index. */
struct recording_search {
    uint32_t channel; /* whose message is searched */
    uint64_t up_to;   /* in chunks that begin up to this time */
    bool reading;     /* the messages of these times */
    uint64_t first, last;
    bool read; /* they were, also of other channels */
};

struct recording {
    struct view_hub *hub;
    int fd;
    struct mcap_reader *reader;
    struct recording_topic *topics; /* by the channel's id in the file */
    struct mcap_message next;
    bool has_next;
    uint64_t start, end, now;        /* log times */
    uint64_t played_from, played_at; /* log time, and when it was */
    double speed;
    bool paused, stepping, ended;
    bool seeking; /* messages up to now are read, of fresh topics; or, if sought, of all */
    bool sought;
    struct recording_search search;
    struct view_timer timer;
    uint64_t told; /* when clients were told the time */
    uint64_t bad;  /* chunks and records that clients were told of */
};

/* False after complaining. */
bool view_recording_open(struct view_hub *h);
void view_recording_close(struct view_hub *h);

#endif
