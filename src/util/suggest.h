/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h - "did you mean ...?", the end of an error message about a word */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <getopt.h>

#include "nearest.h"

/* "; did you mean 'imu'?", or nothing. It lasts until the next call of any function here. */
const char *suggest(const struct nearest *n);
const char *suggest_channel(const char *name);

/*
 * For a word such as --jsn that getopt_long rejected: "did you mean '--json'?", or nothing. For
 * an ambiguous word, getopt_long has listed the options already.
 */
const char *suggest_option(const struct option *longs, const char *word);

#endif
