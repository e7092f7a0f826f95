/* SPDX-License-Identifier: BSD-3-Clause */
/* ach help - the overview, and the help of each verb */
#include <string.h>

#include "cli.h"

static void overview(void)
{
    size_t i;

    puts("Usage: ach VERB [OPTION ...] [ARGUMENT ...]\n\n"
         "Make, look at and use channels, the shared memory through which processes talk.");
    for (i = 0; verbs[i]; i++) {
        if (verbs[i]->group)
            printf("\n%s:\n", verbs[i]->group);
        if (verbs[i]->summary)
            printf("  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    }
    puts("\n'ach help VERB' or 'ach VERB --help' tells more, and so does the manual, as in\n"
         "'man ach-mk'. 'ach --version' tells the version. Channels are files in the directory\n"
         "that the environment variable ACH_DIR names, /dev/shm by default. achlog, achcop and\n"
         "achcat are programs of their own.\n\n"
         "Exit status: 0 done, 1 failed, 2 wrong use.\n\n"
         "Examples:\n"
         "  ach mk -m 10 -n 64 imu        make a channel for 10 messages of 64 bytes\n"
         "  ach put imu hello             put a message\n"
         "  ach get --last imu            get the newest message\n"
         "  ach ls                        list all channels");
}

static int names_only(void)
{
    size_t i;

    for (i = 0; verbs[i]; i++) {
        if (verbs[i]->summary)
            puts(verbs[i]->name);
    }
    return EXIT_OK;
}

static int help_of(char *name)
{
    const struct verb *v = verb_find(name);
    char option[] = "--help";
    char *args[] = {name, option, NULL};

    return v ? verb_run(v, 2, args) : usage("there is no verb '%s'%s", name, suggest_verb(name));
}

static int run(int argc, char **argv)
{
    static const struct option longs[] = {{"verbs", no_argument, NULL, 'v'}, {0}};
    bool names = false;
    int c;

    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        if (c != 'v')
            return usage_hint();
        names = true;
    }
    if (names)
        return names_only();
    if (optind + 1 < argc)
        return usage("one verb at a time");
    if (optind < argc)
        return help_of(argv[optind]);
    overview();
    return EXIT_OK;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "tell what the verbs do",
    .help = "Usage: ach help [--verbs] [VERB]\n\n"
            "Tell what there is, or what a verb does.\n\n"
            "Options:\n"
            "      --verbs  only print the names of the verbs, for completion\n"
            "  -h, --help   print this help\n\n"
            "Examples:\n"
            "  ach help\n"
            "  ach help mk\n",
    .run = run,
};
