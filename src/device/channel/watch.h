/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.h - whether the server of a device still serves its channels
 *
 * A server that ends removes the names of its channels, which wakes their readers. A server that is
 * killed does not. Its process is watched by a pidfd; if the process cannot be known or watched,
 * because it is in another PID namespace, the source lock of the data channel is polled once a
 * second. Neither method blocks or loads the server.
 *
 * A controller in a simulation ends with the simulation. There only the name is watched: further
 * waits and descriptors would be cycles of the controller, and cost it virtual time.
 */
#ifndef DEVCH_CHANNEL_WATCH_H
#define DEVCH_CHANNEL_WATCH_H

#include <ach.h>
#include <limits.h>
#include <stdbool.h>

struct devch_watch {
    const ach_channel_t *data;
    char path[PATH_MAX]; /* of its file; "": it has none */
    uint64_t inode;
    int data_fd;
    int epoll;    /* readable while there is data, and for ever once the server has ended */
    int fd;       /* a pidfd or a timerfd; an eventfd at the end; -1 in a simulation */
    bool locks;   /* fd is a timer: poll the source lock */
    bool sourced; /* the channel had a source at first */
    bool ended;
};

/* @data: the device's channel of data, which stays open for as long as the watch. */
ach_status_t devch_watch_begin(struct devch_watch *w, const char *name, const ach_channel_t *data);
void devch_watch_end(struct devch_watch *w);

/* A descriptor that is readable while there is data, and once the server has ended. */
int devch_watch_fd(const struct devch_watch *w);

/* How long a call may wait before it checks whether the server has ended, in seconds. */
double devch_watch_period(const struct devch_watch *w);

/* Whether the server has ended. Some messages may still be in the channel then. Does not block. */
bool devch_watch_ended(struct devch_watch *w);

/* Record that the server has ended, as the status of a call on its channel shows. */
void devch_watch_set_ended(struct devch_watch *w);

#endif
