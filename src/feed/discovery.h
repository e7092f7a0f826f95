/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * discovery.h - notice that channels appear, vanish, and get other permissions
 *
 * Inotify watches the directories of channels. Where it is missing, they are listed periodically.
 */
#ifndef FEED_DISCOVERY_H
#define FEED_DISCOVERY_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>

struct feed_discovery {
    int fd;       /* of inotify; negative: there is none */
    bool partial; /* a directory cannot be watched */
    int64_t due;  /* when to list again, on CLOCK_MONOTONIC; INT64_MAX: when something happens */
    int64_t listed, pause; /* the last listing, and the least time until the next one */
};

void feed_discovery_init(struct feed_discovery *d);
void feed_discovery_finish(struct feed_discovery *d);

/*
 * Read the events, of which the kernel keeps a bounded number. Calls a function for each channel that may have changed; name NULL: for all. Then
 * the channels are to be listed when it is due.
 */
typedef void feed_discovery_fun(void *context, const char *name, enum ach_map map);
void feed_discovery_read(struct feed_discovery *d, feed_discovery_fun *fun, void *context);

/* List them soon. */
void feed_discovery_soon(struct feed_discovery *d);

/* They are being listed now. */
void feed_discovery_begin(struct feed_discovery *d, int64_t now);

/* They were listed and looked at. The longer that took, the longer is the pause: files may come and go without end. */
void feed_discovery_end(struct feed_discovery *d, int64_t now, int64_t spent);

#endif
