/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * driver.h - drivers and clients that do whatever some bytes say
 *
 * All threads take from the same bytes, so that what happens is not quite the same
 * each time; what must hold does in any case.
 */
#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include <ach/transport.h>

/* The next byte, less than the number; always 0 after the last one. From any thread. */
unsigned wild_draw(unsigned below);

/* Whether there are no more. */
bool wild_over(void);

/* A body of opaque:N, of a few bytes; and now and then one that is none. */
size_t wild_bytes(unsigned char *to);
#define WILD_BYTES 64u

/* Does what its contract allows, and more. */
extern const ach_driver_class_t wild_driver;

/* As that, with a main of its own, which may end early. */
extern const ach_driver_class_t wild_runner;

/* As that, whose process runs in the thread that delivers. */
extern const ach_driver_class_t wild_inline;

#endif
