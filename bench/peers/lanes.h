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
 * limit for that, pipes have none.
 */
#ifndef PEERS_LANES_H
#define PEERS_LANES_H

#include <netinet/in.h>
#include <poll.h>

#include "contender.h"

#define LANES_MAX (SENDERS_MAX * RECEIVERS_MAX)

enum { LANE_OUT, LANE_IN };

struct lanes {
    unsigned count;
    int fd[LANES_MAX][2]; /* of each lane; LANE_OUT may be -1: another lane's carries it too */

    /* What this end picked. */
    struct pollfd in[LANES_MAX];
    int out[LANES_MAX];
    unsigned ins, outs;
    unsigned next; /* of in, to look at first */
};

/* The variant of a contender that has lanes. */
struct lane_kind {
    /* Make the descriptors of the next lane; false: errno says why. */
    bool (*make)(const struct link *l, int fd[2]);
    bool per_sender;
    size_t whole_max; /* larger messages of several senders mix; 0: none do */
};

/* Large enough for some messages, and never smaller than usual. */
bool lane_buffers(int fd, size_t size);

/* Bind to a port that the kernel finds, unless at names one, and tell which. */
bool lane_bind(int fd, struct sockaddr_in *at);

bool lanes_setup(struct link *l);
void lanes_finish(struct link *l);
bool lanes_open(struct link *l);
int lanes_send(struct link *l);
bool lanes_limit(struct link *l, int timeout_ms);
ssize_t lanes_receive(struct link *l, int timeout_ms);

#define LANES(...)                                                                                 \
    .kind = KIND_KERNEL, .source = __FILE__ " lanes.c", .state_size = sizeof(struct lanes),        \
    .variant = &(const struct lane_kind){.make = __VA_ARGS__},                                     \
    .modes = MODE_BLOCK | MODE_POLL | MODE_SPIN, .waits = MODE_POLL | MODE_SPIN,                   \
    .setup = lanes_setup, .finish = lanes_finish, .open = lanes_open, .send = lanes_send,          \
    .limit = lanes_limit, .receive = lanes_receive

#endif
