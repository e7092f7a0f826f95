/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h - record channels, each into its own log
 *
 * A group holds up to ACH_WAIT_MAX channels and is served by one thread, which
 * sleeps until one of them has a new message. tracks_cancel may be called from
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
    uint64_t count;   /* stop a channel after this many messages; 0: no limit */
    int64_t until_ns; /* stop at this time, on CLOCK_MONOTONIC; INT64_MAX: never */
};

/* One channel and its log. */
struct track {
    const char *name;
    char *path;
    ach_channel_t chan;
    ach_info_t info;
    uint64_t gone;    /* messages overwritten before recording, not counted as missed */
    uint64_t untimed; /* messages put before recording began, at unknown times */
    struct log_writer log;
    int fd;
    bool ended;  /* no more messages are recorded */
    bool failed; /* recording ended with an error */
    bool lost;   /* the log is incomplete, or its file was removed */
};

struct group {
    struct track *tracks;
    size_t n;
    const struct record_options *options;
    unsigned char *buf;
    size_t room;
};

/* Open the channel. False after complaining. */
bool track_open(struct track *t, const char *name, const struct record_options *options);

/* Begin the log in a file. False after complaining and closing the channel. */
bool track_begin(struct track *t, const char *path, const struct record_options *options);

/* End the log and close the channel. False: the log or the recording failed; it has complained. */
bool track_close(struct track *t);

void track_finish(struct track *t);

/* Ask all groups to end. */
void tracks_cancel(struct track *tracks, size_t n);

/* Thread function: record until all tracks have ended. The argument is a struct group. */
void *group_run(void *group);

#endif
