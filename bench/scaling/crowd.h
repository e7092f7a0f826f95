/* SPDX-License-Identifier: BSD-3-Clause */
/* crowd.h - many processes at one channel */
#ifndef SCALING_CROWD_H
#define SCALING_CROWD_H

#include "peer.h"
#include "scaling.h"

#define CROWD_MAX 16u

struct member {
    uint64_t count APART; /* messages it got or put */
};

struct crowd {
    const struct scaling *scaling;
    const char *channel;
    unsigned count;
    pid_t pid[CROWD_MAX];
    struct shared *shared;
};

struct shared {
    uint32_t go, stop;
    unsigned index; /* of the process that starts */
    struct member member[CROWD_MAX];
};

void crowd_init(struct crowd *c, const struct scaling *s, const char *channel);
void crowd_finish(struct crowd *c);

/* Start n processes on any of the CPUs. Returns when all are ready. */
void crowd_start(struct crowd *c, unsigned n, void (*fun)(void *crowd));

/* The processes see stop within a message; wait for their end. */
void crowd_stop(struct crowd *c);

static inline bool crowd_stopped(const struct crowd *c)
{
    return __atomic_load_n(&c->shared->stop, __ATOMIC_ACQUIRE) != 0;
}

/* What a process does first: it may run on every CPU but the main one, if there is another. */
void crowd_stand_aside(const struct crowd *c);

/* Puts messages of 64 B, one after another. */
struct writer {
    ach_channel_t chan;
    unsigned char message[MESSAGE_SIZE];
};

void writer_put(void *writer, unsigned n);

/* A process that gets LAST again and again, and counts what it got. */
void crowd_poll(void *crowd);

/*
 * What a put takes while n processes poll. Where the machine is busy they do not poll all the time;
 * only those batches of puts count in which they got at least half of what they got in the best.
 * Returns 0 if none of them ever ran.
 */
double crowd_polled_ns(struct crowd *c, struct writer *w, unsigned n);

#endif
