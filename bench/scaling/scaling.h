/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scaling.h - the parts of the measurement, and what they share
 *
 * A part measures its curves round by round: in each round all points, one
 * after the other, so that whatever else the machine does hits all alike.
 */
#ifndef SCALING_H
#define SCALING_H

#include <ach.h>
#include <sched.h>
#include <stdio.h>

#include "bench.h"
#include "curve.h"
#include "machine.h"

#define CURVES_MAX 12u
#define NOTES_MAX 40u

#define POLLED_COUNTS 3u

/* A put while processes poll the channel. */
struct polled {
    unsigned readers[POLLED_COUNTS];
    double instructions[POLLED_COUNTS]; /* of ach_put; 0: not counted */
    double put_ns[POLLED_COUNTS];       /* 0: not measured */
    double line_ns;                     /* one cache line, from core to core */
    double extra_ns;                    /* what one reader adds, less two lines */
    bool equal;                         /* the same instructions for any number of readers */
    bool reached;                       /* one reader adds two lines at most */
};

struct scaling {
    bool quick;
    unsigned rounds;
    struct machine machine;
    cpu_set_t cpus; /* that this process could use at the start */
    struct curve *curve[CURVES_MAX];
    unsigned curves;
    char *note[NOTES_MAX];
    unsigned notes;
    struct polled polled;
};

void scaling_note(struct scaling *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Take up a curve for the output. The strings must stay. */
struct curve *scaling_curve(struct scaling *s, const struct curve *about);

/* Say on stderr what is measured. */
void scaling_progress(const struct scaling *s, const char *part, unsigned round);

/* Half of the free shared memory: what a part may take. */
uint64_t shared_room(void);

/* Is there room for a channel of so many frames? If not, leaves a note. */
bool channel_fits(struct scaling *s, size_t frames, size_t size);

/* Have all pages of an open channel present in this process. */
void touch_all(const ach_channel_t *chan);

/* The median time of one of n operations in a row, over some batches after one that warms up. */
double batch_ns(void (*batch)(void *state, unsigned n), void *state, unsigned n, unsigned batches);

void channels_part(struct scaling *s);
void memory_part(struct scaling *s);
void readers_part(struct scaling *s);
void writers_part(struct scaling *s);
void sizes_part(struct scaling *s);
void history_part(struct scaling *s);
void polled_part(struct scaling *s);

/* What valgrind runs: put into a channel that exists, and that others poll. */
int polled_repeat(const char *channel);

void output_curves(const struct scaling *s);
void output_polled(const struct scaling *s);
void output_notes(const struct scaling *s);

/* Write the whole to a file beside path and give it that name in one step. False with errno. */
bool output_json(const struct scaling *s, const char *path);

#endif
