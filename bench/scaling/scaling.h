/* SPDX-License-Identifier: BSD-3-Clause */
/* scaling.h - the groups of ach-scaling, and what they share */
#ifndef SCALING_H
#define SCALING_H

#include "bench.h"

void memory_measure(const struct group *g, unsigned round);
void channels_measure(const struct group *g, unsigned round);
void readers_measure(const struct group *g, unsigned round);
void writers_measure(const struct group *g, unsigned round);
void polled_measure(const struct group *g, unsigned round);
void polled_count(const struct group *g, unsigned round);

extern const struct op sizes_ops[], history_ops[];
bool sizes_fit(double size);
bool history_fits(double frames);

/* What valgrind runs: put into a channel that exists, and that others poll. */
int polled_repeat(const char *channel);

/* Half of the free shared memory: what a group may take. */
uint64_t shared_room(void);

/* Is there room for a channel of so many frames? If not, leaves a note. */
bool channel_fits(size_t frames, size_t size);

/* Have all pages of an open channel present in this process. */
void touch_all(const ach_channel_t *chan);

/* Many processes at one channel. */

#define CROWD_MAX 16u

struct crowd {
    const char *channel;
    struct user user; /* of the process that starts the others */
    unsigned count;
    pid_t pid[CROWD_MAX];
    struct {
        uint32_t stop;
        unsigned index; /* of the process that starts */
        struct {
            uint64_t count APART; /* messages it got or put */
        } member[CROWD_MAX];
    } * shared;
};

/* A new channel of default geometry, and nobody else at it. c must last as long as the round. */
void crowd_init(struct crowd *c, const char *channel);

/* Start n processes. Returns when all are ready. */
void crowd_start(struct crowd *c, unsigned n, void (*fun)(void *crowd));

/* The processes see stop within a message; wait for their end. */
void crowd_stop(struct crowd *c);
bool crowd_stopped(const struct crowd *c);

/*
 * A process gets LAST again and again, with these options, and counts what it got. It may run on
 * every CPU but the main one, if there is another.
 */
void crowd_get(struct crowd *c, int options);
void crowd_poll(void *crowd);

/*
 * What a put takes while n processes poll. Where the machine is busy they do not poll all the time;
 * only those batches of puts count in which they got at least half of what they got in the best.
 * Returns 0 if none of them ever ran.
 */
double crowd_polled_ns(struct crowd *c, unsigned n);

#endif
