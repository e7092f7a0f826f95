/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * channel.h - a channel of a feed
 *
 * Two handles: one gets the messages, the descriptor of the other, the waker, tells when messages come
 * again. A get that finds nothing raises the waiters' flag only on a handle with a descriptor. So while a
 * channel is active, the waker is not used, and puts make no system calls for the feed.
 *
 *     ACTIVE   read by timer. After a second without messages:
 *     ASLEEP   the waker's descriptor is in the epoll; or, if it would have to poll,
 *     POLLED   read by timer, but not more often than needed before
 *     DORMANT  nobody wants its topics
 */
#ifndef FEED_CHANNEL_H
#define FEED_CHANNEL_H

#include "cdr.h"
#include "clock.h"
#include "device.h"
#include "kind.h"
#include "outlet.h"

#define FEED_PERIOD_MIN 1000000
#define FEED_PERIOD_MAX 50000000

/* In front of a message; its last bytes are the header of CDR. The message is aligned to 16. */
#define FEED_HEADROOM 16u

enum feed_state { FEED_ACTIVE, FEED_ASLEEP, FEED_POLLED, FEED_DORMANT };

/* What the channels of a feed share. */
struct feed_common {
    struct feed_output output;
    struct feed_clocks clocks;
    struct feed_cdr cdr;
    struct feed_odometry odometry;
    uint8_t *buffer; /* FEED_HEADROOM bytes, then the message */
    size_t room;     /* for the message */
    int epoll;
    int64_t period; /* the longest one */
    size_t foreign; /* lazy: bytes of the schemas of other users' channels */
    bool held, lazy, exact;
};

struct feed_channel {
    char name[ACH_CHAN_NAME_MAX];
    enum ach_map map;
    bool listed, suspect; /* it may have been replaced, or have got other permissions */
    bool open, failed;    /* failed: it was there, but could not be opened */
    char told[256];       /* the last trouble */

    ach_channel_t chan, waker;
    bool has_waker;
    int fd; /* of the waker */
    /* In front of a message; its last bytes are the header of CDR. The message is aligned to 16. */
#define FEED_HEADROOM 16u

    enum feed_state state;
    bool woken;
    ach_info_t info;

    int64_t period, read, due, quiet; /* CLOCK_MONOTONIC; quiet: since when no message has come */
    int64_t put;                      /* of the last message, on the wall clock */
    size_t foreign;                   /* its part of those of the feed */
    uint64_t missed;
    uint64_t gone;  /* of what was missed before the next message, so many do not count */
    bool newest;    /* get the newest message, even if it was seen */
    int64_t behind; /* lazy: since when messages come faster than they are read; 0: they do not */
    bool jump;      /* then: go on with the newest one */

    struct feed_outlet *outlets, *plain; /* plain: of the bytes as they are */
    const struct ach_type *table;
    struct feed_device *device;
    bool ask; /* the device is to be asked for its geometry or map */
    bool asked;
    bool learning; /* lazy: the topics of a device are not known yet */
};

/* NULL: no memory. */
struct feed_channel *feed_channel_new(const char *name, enum ach_map map);

/*
 * Open it and make its topics. late: it was created while the feed ran, unless it could not be opened
 * before. False after telling: it cannot be read.
 */
bool feed_channel_open(struct feed_common *f, struct feed_channel *c, bool late);

/* Was it removed, replaced or cut short? */
bool feed_channel_lost(const struct feed_channel *c);

/* Read what is left, if somebody wants it, and close it. */
void feed_channel_close(struct feed_common *f, struct feed_channel *c);

void feed_channel_free(struct feed_channel *c);

/* Read what is there, for a few milliseconds at most, and plan the next reading. */
void feed_channel_read(struct feed_common *f, struct feed_channel *c);

/* A topic is wanted, or no longer. */
void feed_channel_want(struct feed_common *f, struct feed_channel *c, struct feed_outlet *t,
                       bool want);

#endif
