/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz.h - a process that makes random calls to the module
 *
 * Each fuzzing process has some descriptors and some mappings, and makes one
 * random call after the other with them. The calls follow from its seed; their
 * results do not, because other processes do the same at the same time.
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
    unsigned char *room; /* three pages: writable, read-only, inaccessible */
    size_t page;
};

extern struct fuzz_counts *fuzz_counts;

/* One random call. */
void fuzz_step(struct fuzz *f);

/* A random descriptor, which may be -1; a random number below n. */
int fuzz_fd(struct fuzz *f);
uint64_t fuzz_below(struct fuzz *f, uint64_t n);

/* A random number, often next to a power of two. */
uint64_t fuzz_number(struct fuzz *f);

/* A random address: often of `size` bytes of noise, else partly or fully invalid. */
void *fuzz_address(struct fuzz *f, size_t size);

void fuzz_ioctl(struct fuzz *f);
void fuzz_map_step(struct fuzz *f);

/* Report and count an error. */
void fuzz_wrong(const char *what);

#endif
