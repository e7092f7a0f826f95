/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unknown.h - options that getopt_long does not know
 *
 * The help of a verb lists its options, so no verb has to hand its table over.
 */
#ifndef UNKNOWN_H
#define UNKNOWN_H

/* A sentence about a word such as --jsn: "did you mean '--json'?", or nothing. */
const char *unknown_option(const char *help, const char *word);

#endif
