/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common.h - shared by achlog, achcat, achcop and ach replay: arguments, opening channels
 */
#ifndef TOOLS_COMMON_H
#define TOOLS_COMMON_H

#include <ach.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/* Exit statuses, besides EXIT_USAGE. */
#define EXIT_DONE 0
#define EXIT_FAILED 1

/* The program's name, the prefix of messages of tool_complain. */
extern const char *tool_name;

/* Called before each complaint, to clear a line that shows progress. NULL: nothing is to be done. */
extern void (*tool_before_complaint)(void);

void tool_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* From now on messages go to the system log too. */
void tool_log_to(const char *ident, int facility);

/* Parse arguments. False after complaining. */
bool tool_parse_count(const char *text, const char *what, uint64_t least, uint64_t *value);
bool tool_parse_seconds(const char *text, const char *what, double *value);

/* A time limit, more than 0 seconds from now, as a point in time on CLOCK_MONOTONIC. */
bool tool_parse_limit(const char *text, int64_t *until_ns);

/* options_parse, with this program's name and version. */
int tool_parse_options(const struct options *o, int argc, char **argv, void *cx);

/* Flush standard output. Returns the exit status: EXIT_FAILED if not all could be written. */
int tool_finish(int status);

/* Open a channel to read from. False after complaining. */
bool tool_open_for_get(ach_channel_t *chan, const char *name);

/*
 * Open a channel to put into, as its source if it is a single-writer channel. If the channel does
 * not exist, the complaint suggests 'ach mk' and `maker`, an option that creates it; may be NULL.
 */
bool tool_open_for_put(ach_channel_t *chan, const char *name, const char *maker);

/* Put a message. False after complaining: the put failed, or the channel was removed. */
bool tool_put(ach_channel_t *chan, const char *name, const void *data, size_t size);

/* Number of messages already overwritten when info was read: a new reader does not miss them. */
uint64_t tool_gone(const ach_info_t *info);

/* The text of a status, to follow the channel's name and a colon. */
const char *tool_status_text(enum ach_status status);

int64_t tool_time_to_ns(const struct timespec *t);
struct timespec tool_ns_to_time(int64_t ns);
int64_t tool_clock_ns(clockid_t clock);

#endif
