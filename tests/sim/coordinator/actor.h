/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * actor.h - a controller that does what a test tells it
 *
 * usage: actor PART [ARGUMENT ...]
 *
 * It knows nothing of simulations: all times are those of CLOCK_MONOTONIC, all CPU times
 * those of its thread.
 */
#ifndef ACTOR_H
#define ACTOR_H

#include <stdint.h>
#include <stdio.h>

struct part {
    const char *name;
    int (*play)(char **arguments); /* a list ended by NULL; returns the exit status */
};

extern const struct part actor_bad[], actor_talk[], actor_wait[], actor_drive[];

#define MS 1000000ll

int64_t actor_now(void);
int64_t actor_cpu(void);
void actor_sleep_until(int64_t ns);
void actor_busy(int64_t ns); /* compute for ns of CPU time */

/* Argument i, or the default if there are fewer. */
int64_t actor_number(char **arguments, int i, int64_t usual);
FILE *actor_log(const char *path);

/* Report a failure and exit with status 9. */
void actor_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
