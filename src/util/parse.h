/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * parse.h - numbers as people write them on a command line
 *
 * Each function parses the whole text or nothing: for a sign, a blank, an extra
 * letter or a value out of range it returns false, and leaves the output alone.
 * For a number that is too large, functions that parse numbers set errno to
 * ERANGE, otherwise to EINVAL.
 */
#ifndef PARSE_H
#define PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* Decimal digits, from min to max. */
bool parse_count(const char *text, uint64_t min, uint64_t max, uint64_t *out);

/* Bytes: decimal digits, and maybe K, M or G for powers of 1024. */
bool parse_size(const char *text, size_t *out);

/* Permission bits: octal digits, at most 0777. */
bool parse_mode(const char *text, mode_t *out);

/* Seconds, as 2 or 0.25; more than zero and at most a year. */
#define SECONDS_WANTED "more than 0 seconds, at most a year, for example 0.5"
bool parse_seconds(const char *text, double *out);

/* A clock by its name, as monotonic or CLOCK_MONOTONIC. */
bool parse_clock(const char *text, clockid_t *out);

/* The name of a clock that parse_clock knows, else NULL. */
const char *clock_name(clockid_t clock);

struct timespec seconds_to_timespec(double seconds);

#endif
