/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan.h - what a run is made of: a channel, and what each actor does on it
 *
 * A plan with a policy determines a run completely.
 */
#ifndef SHIM_PLAN_H
#define SHIM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#define PLAN_OPS 8
#define PLAN_ACTORS 6

struct chan_plan {
    uint64_t frame_cnt;
    uint64_t frame_size;
    uint32_t flags;
    bool roomy; /* a ring of whole pages, as in real channels; else the smallest allowed */
    bool readonly_wake;
    uint64_t start_seq;  /* the channel's newest message when the run begins; 0: none */
    uint64_t start_size; /* and its size */
    uint64_t start_pos;  /* the ring's position when the run begins */
    unsigned copy_words; /* words between two interruption points of a copy; 0: 1 */
};

enum op_kind {
    OP_PUT,
    OP_RESERVE, /* make room for size, write, commit least */
    OP_ABORT,   /* make room for size, write, drop it */
    OP_RETIRE,  /* mark the channel as replaced, as ach_create with truncate does */
    OP_GET,     /* into a buffer of size */
    OP_VIEW,    /* get in place, read, check */
    OP_PEEK,
    OP_FLUSH,
    OP_RANGE,
    OP_KINDS
};

struct op {
    enum op_kind kind;
    uint32_t size;
    uint32_t least; /* OP_RESERVE: the size that is committed */
    int options;    /* of ach_get_opts */
    int times;      /* number of repetitions; 0: once */
};

struct script {
    bool writer;
    bool readonly; /* a reader that cannot raise the waiter flag */
    int after;     /* begin when this actor has ended; -1: at once */
    int n;
    struct op ops[PLAN_OPS];
};

struct plan {
    const char *name;
    struct chan_plan chan;
    int n;
    struct script actors[PLAN_ACTORS];
};

/* A random plan. wrap: start shortly before the sequence number wraps. */
void plan_random(struct plan *p, uint64_t *random, bool wrap);

/* The same, for the channel alone. */
void plan_random_channel(struct chan_plan *c, uint64_t *random, bool wrap);

void plan_print(const struct plan *p);

#endif
