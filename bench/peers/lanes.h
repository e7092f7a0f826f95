/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lanes.h - messages through pipes and sockets
 *
 * A lane is two descriptors: what is written to one is read from the other.
 * All lanes are made before the ends fork, so an end has them by then and only
 * picks its own. The senders share a lane to each receiver where the kernel
 * keeps their messages whole; else every sender has its own, and a receiver
 * must poll to know which one to read.
 *
 * A receiver that blocks, from one lane, does so in read. Sockets have a time
 * limit for that, pipes have none: there the limit counts only if it is 0.
 */
#ifndef PEERS_LANES_H
#define PEERS_LANES_H

#include <poll.h>

#include "contender.h"

enum { LANE_OUT, LANE_IN };

struct lanes {
    struct job job;
    unsigned count;
    int (*fd)[2]; /* of each lane; LANE_OUT may be -1: another lane's carries it too */

    /* What this end picked. */
    struct pollfd *in;
    int *out;
    unsigned ins, outs;
    unsigned next;  /* of in, to look at first */
    int time_limit; /* in milliseconds, that the sockets have */
};

/* Make the descriptors of a lane; false: errno says why. Lanes below index are there. */
typedef bool lane_make(const struct lanes *l, unsigned index, int fd[2]);

/* NULL: see job->why. */
struct lanes *lanes_create(const struct job *job, bool lane_per_sender, lane_make *make);

/* Large enough for some messages, and never smaller than usual. */
bool lane_buffers(int fd, size_t size);

void lanes_finish(void *link);
bool lanes_open(void *link, enum side side, unsigned index);
void lanes_close(void *link, enum side side, unsigned index);
int lanes_send(void *link, const void *message, size_t size);
ssize_t lanes_receive(void *link, void *buffer, size_t room, int timeout_ms);

#define LANES_FUNCTIONS                                                                            \
    .finish = lanes_finish, .open = lanes_open, .close = lanes_close, .send = lanes_send,          \
    .receive = lanes_receive

#endif
