/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h - the end of a complaint about a word: what was probably meant */
#ifndef SUGGEST_H
#define SUGGEST_H

#include <getopt.h>

#include "nearest.h"

/* "; did you mean 'imu'?", or nothing. It lasts until the next call of any function here. */
const char *suggest(const struct nearest *n);
const char *suggest_channel(const char *name);

/*
 * A sentence for a word such as --jsn that getopt_long did not take: "did you mean '--json'?", or
 * nothing. Of an ambiguous word, getopt_long has told the options already.
 */
const char *suggest_option(const struct option *longs, const char *word);

#endif
