/* SPDX-License-Identifier: BSD-3-Clause */
/* streams.h - standard streams that cannot be mistaken for channels, and whose errors are seen */
#ifndef STREAMS_H
#define STREAMS_H

#include <stdbool.h>

/*
 * Occupy the standard descriptors that are closed at the start, so that no
 * channel gets their numbers and is written to by a printf. Using them fails as
 * before. Call it first in main.
 */
void streams_init(void);

/*
 * Check right after writing to standard output whether that failed, and
 * remember errno. False: it failed, so further output is useless.
 */
bool streams_ok(void);

/* Write out what is buffered, before waiting for more. False: as streams_ok. Keeps errno. */
bool streams_flush(void);

/* Write out what is buffered for standard output. False: not everything was written, see errno. */
bool streams_finish(void);

#endif
