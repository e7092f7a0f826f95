/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * unknown_option.h - options that getopt_long does not know
 *
 * The options are parsed from the verb's help text, so no verb has to pass its table.
 */
#ifndef UNKNOWN_OPTION_H
#define UNKNOWN_OPTION_H

/* For a word such as --jsn: "did you mean '--json'?", or "". */
const char *unknown_option(const char *help, const char *word);

#endif
