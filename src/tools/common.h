/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - what the side programs share: arguments and opening channels
 */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <ach.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses: done, failed, called wrongly. */
#define EXIT_DONE 0
#define EXIT_FAILED 1
#define EXIT_USAGE 2

/* The program's name, put in front of what tool_complain says. */
extern const char *tool_name;

void tool_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Arguments. On false they have complained. */
bool tool_parse_count(const char *text, const char *what, uint64_t least, uint64_t *value);
bool tool_parse_seconds(const char *text, const char *what, double *value);

/* A time limit, more than 0 seconds from now, as a point in time on CLOCK_MONOTONIC. */
bool tool_parse_limit(const char *text, int64_t *until_ns);

void tool_print_version(void);

/* How a program takes its options: -h and -V are everybody's, set gets the others. */
struct tool_options {
    const char *shorts;
    const struct option *longs;
    void (*help)(void);
    bool (*set)(void *cx, int option); /* false, after complaining: wrong use */
};

/* Says how to go on: a negative number, or the exit status. */
int tool_parse_options(const struct tool_options *o, int argc, char **argv, void *cx);

/* Write out what was printed. The exit status: failed if not everything got out. */
int tool_finish(int status);

/* Open a channel to read from. On false it has complained. */
bool tool_open_for_get(ach_channel_t *chan, const char *name);

/*
 * Open a channel to put into, as its source if it has a single writer. What else than 'ach mk'
 * makes a channel that is not there is told, too; NULL: nothing.
 */
bool tool_open_for_put(ach_channel_t *chan, const char *name, const char *maker);

/* Put a message. On false it has complained: it could not, or the channel was removed. */
bool tool_put(ach_channel_t *chan, const char *name, const void *data, size_t size);

/* How many messages the channel had let go by then: those a new reader does not miss. */
uint64_t tool_gone(const ach_info_t *info);

/* What is wrong with a channel, to stand after its name and a colon. */
const char *tool_status_text(enum ach_status status);

int64_t tool_time_to_ns(const struct timespec *t);
struct timespec tool_ns_to_time(int64_t ns);
int64_t tool_clock_ns(clockid_t clock);

#endif
