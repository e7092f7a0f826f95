/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz.h - a process that says anything to the module
 *
 * Each fuzzing process has some descriptors and some mappings, and does one
 * random thing after the other with them. What it does follows from its seed;
 * what comes of it does not, for others do the same at the same time.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include "check.h"
#include "module.h"

#include <stdatomic.h>

#define FDS 12
#define MAPS 8

struct fuzz_counts {
    _Atomic uint64_t ioctls, accepted, calls, maps, faults, processes, kills, puts, gets, wrong;
};

struct fuzz_map {
    unsigned char *at;
    size_t size;
    bool channel; /* else a cursor */
};

struct fuzz {
    uint64_t random;
    int fds[FDS];
    struct fuzz_map maps[MAPS];
    unsigned char *room; /* pages: writable, only readable, none */
    size_t page;
};

extern struct fuzz_counts *fuzz_counts;

/* One random call. */
void fuzz_step(struct fuzz *f);

/* Some descriptor, which may be -1; some number below n. */
int fuzz_fd(struct fuzz *f);
uint64_t fuzz_below(struct fuzz *f, uint64_t n);

/* A number that is likely to be a limit of something. */
uint64_t fuzz_number(struct fuzz *f);

/* An address where `size` bytes lie, or do not; filled with noise if that is possible. */
void *fuzz_address(struct fuzz *f, size_t size);

void fuzz_ioctl(struct fuzz *f);
void fuzz_map_step(struct fuzz *f);

/* Something that must not be. */
void fuzz_wrong(const char *what);

#endif
