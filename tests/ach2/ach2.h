/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach2.h - what the programs of this folder share
 *
 * They are written as programs for Ach 2 were, and are compiled against the installed headers with
 * the compiler's defaults. Nothing in them may be changed to suit a new release.
 */
#ifndef ACH2_H
#define ACH2_H

#include <ach.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: failed: %s (%s)\n", __FILE__, __LINE__, #cond, ach_errstr());  \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

/* Create a channel and open it. */
static inline void make_channel(ach_channel_t *chan, const char *name)
{
    ach_create_attr_t attr;

    ach_create_attr_init(&attr);
    CHECK(ach_create_attr_set_truncate(&attr, 1) == ACH_OK);
    CHECK(ach_create(name, 10, 64, &attr) == ACH_OK);
    CHECK(ach_open(chan, name, NULL) == ACH_OK);
}

/* Seconds on the default clock. */
static inline double now(void)
{
    struct timespec t;

    clock_gettime(ACH_DEFAULT_CLOCK, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
