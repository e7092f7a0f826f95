/* SPDX-License-Identifier: BSD-3-Clause */
/* suggest.h - the end of a complaint about a word: what was probably meant */
#ifndef SUGGEST_H
#define SUGGEST_H

#include "nearest.h"

/* "; did you mean 'imu'?", or nothing. It lasts until the next call of any function here. */
const char *suggest(const struct nearest *n);
const char *suggest_channel(const char *name);
const char *suggest_verb(const char *name);

#endif
