/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suggest.h"

/* After getopt_long has complained. optopt is 0 for an unknown long option. */
static void hint_option(const struct option *longs, const char *program, char **argv)
{
    const char *hint = optopt == 0 ? suggest_option(longs, argv[optind - 1]) : "";

    if (*hint)
        fprintf(stderr, "%s: %s\n", program, hint);
}

/* -h, or -H or -? as in Ach 2. getopt also returns '?' for an option that it has refused. */
static bool wants_help(int option, char **argv)
{
    return option == 'h' || option == 'H' ||
           (option == '?' && optopt == 0 && strncmp(argv[optind - 1], "--", 2) != 0);
}

int options_parse(const struct options *o, const char *program, const char *version, int argc,
                  char **argv, void *cx)
{
    int option;

    while ((option = getopt_long(argc, argv, o->shorts, o->longs, NULL)) >= 0) {
        if (wants_help(option, argv)) {
            o->help();
            return EXIT_SUCCESS;
        }
        if (option == 'V') {
            printf("%s (Ach) %s\n", program, version);
            return EXIT_SUCCESS;
        }
        if (option == '?')
            hint_option(o->longs, program, argv);
        if (option == '?' || !o->set(cx, option))
            return EXIT_USAGE;
    }
    return -1;
}
