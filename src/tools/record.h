/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h - channels being recorded, each into its log
 *
 * A group holds up to ACH_WAIT_MAX channels and is served by one thread, which
 * sleeps until one of them has something new. tracks_cancel may be called from
 * a signal handler while the groups run; everything else of a track belongs to
 * its group's thread.
 */
#ifndef TOOLS_RECORD_H
#define TOOLS_RECORD_H

#include "log.h"

struct record_options {
    bool compress;
    bool last;        /* only the newest message each time */
    bool fresh;       /* skip what the channel holds already */
    bool force;       /* overwrite existing files */
    uint64_t count;   /* end a channel after so many messages; 0: never */
    int64_t until_ns; /* end then, on CLOCK_MONOTONIC; INT64_MAX: never */
};

/* One channel and its log. */
struct track {
    const char *name;
    char *path;
    ach_channel_t chan;
    ach_info_t info;
    uint64_t gone;    /* messages that were gone before, and are not missed */
    uint64_t untimed; /* messages put before recording began, at unknown times */
    struct log_writer log;
    int fd;
    bool ended;  /* nothing more is to come from it */
    bool failed; /* recording did not end as it should */
    bool lost;   /* the log is not whole, or its file is gone */
};

struct group {
    struct track *tracks;
    size_t n;
    const struct record_options *options;
    unsigned char *buf;
    size_t room;
};

/* Open the channel. On false it has complained. */
bool track_open(struct track *t, const char *name, const struct record_options *options);

/* Begin the log in a file. On false it has complained, and the channel is closed. */
bool track_begin(struct track *t, const char *path, const struct record_options *options);

/* End the log and close the channel. False, after complaining: not all is well with it. */
bool track_close(struct track *t);

void track_finish(struct track *t);

/* Make all groups end soon. */
void tracks_cancel(struct track *tracks, size_t n);

/* Record until everything has ended. The argument is a group. */
void *group_run(void *group);

#endif
