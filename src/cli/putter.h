/* SPDX-License-Identifier: BSD-3-Clause */
/* putter.h - put messages into a channel, and say why that failed */
#ifndef PUTTER_H
#define PUTTER_H

#include <ach.h>
#include <stdbool.h>

struct putter {
    const char *name;
    ach_channel_t chan;
    ach_info_t info;
};

/* Open the channel, as its source if it is a single-writer channel. False after complaining. */
bool putter_open(struct putter *p, const char *name);

/* Put a message. An exit status, after complaining if it failed. */
int putter_put(struct putter *p, const void *data, size_t size);

/* Complain about a message of this size, 0: unknown. Returns EXIT_FAILED. */
int putter_too_large(const struct putter *p, size_t size);

/* Fail once the channel is removed: later messages would reach no reader. An exit status. */
int putter_check(struct putter *p);

#endif
