/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.h - record channels and devices into one file
 *
 * One thread reads, another one compresses and writes. Between them is a bounded queue. When the disk is too
 * slow, messages that do not fit are dropped and counted, and the channels are still read in time. A third thread
 * waits for the disk.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "feed.h"
#include "mcap.h"

struct record_settings {
    struct feed_options feed;
    const char *output;
    bool force;
    enum mcap_compression compression;
    size_t chunk;            /* bytes; 0: the writer's */
    size_t buffer;           /* bytes of the queue */
    size_t split_size;       /* bytes; 0: do not split */
    double split_time;       /* seconds; 0: do not split */
    double before, duration; /* seconds; 0: none */
    bool once;               /* end as soon as what was kept is written */
    uint64_t count;          /* messages; 0: no limit */
    bool quiet;
    const char *const *attachments;
    size_t nattachments;
    const char *version;
};

#define RECORD_BUFFER (64u << 20)

/* An exit status: 0, or 1 after complaining. */
int record_run(const struct record_settings *options);

/* Tell the recorder that writes this file that it shall write what it keeps. */
int record_trigger(const char *path);

#endif
