/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - the options of a program: what getopt_long leaves to do */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

/* Exit status of a program that was called wrongly. */
#define EXIT_USAGE 2

/* -h, -H, -? and -V are handled here, set is called for the others. */
struct options {
    const char *shorts;
    const struct option *longs;
    void (*help)(void);
    bool (*set)(void *cx, int option); /* false after complaining: usage error */
};

/* Negative: go on. Otherwise exit with this status. */
int options_parse(const struct options *o, const char *program, const char *version, int argc,
                  char **argv, void *cx);

#endif
