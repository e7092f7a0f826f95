/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.c - the table of verbs, in the order of the overview, and ach help, which prints it */
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "suggest.h"

const struct verb *const verbs[] = {
    &verb_mk,    &verb_rm,     &verb_chmod,  &verb_file,   &verb_ls,     &verb_info, &verb_watch,
    &verb_hz,    &verb_bw,     &verb_dump,   &verb_type,   &verb_put,    &verb_pub,  &verb_get,
    &verb_echo,  &verb_plot,   &verb_view,   &verb_record, &verb_replay, &verb_log,  &verb_gen,
    &verb_relay, &verb_search, &verb_adv,    &verb_hide,   &verb_serve,  &verb_dev,  &verb_sim,
    &verb_bench, &verb_keys,   &verb_doctor, &verb_help,   NULL,
};

/* In any case: Ach 2 accepts MK too. */
static bool called(const struct verb *v, const char *name)
{
    size_t i;

    if (strcasecmp(v->name, name) == 0)
        return true;
    for (i = 0; i < sizeof(v->aliases) / sizeof(v->aliases[0]) && v->aliases[i]; i++) {
        if (strcasecmp(v->aliases[i], name) == 0)
            return true;
    }
    return false;
}

const struct verb *verb_find(const char *name)
{
    size_t i;

    for (i = 0; verbs[i]; i++) {
        if (called(verbs[i], name))
            return verbs[i];
    }
    return NULL;
}

const char *suggest_verb(const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i, k;

    for (i = 0; verbs[i]; i++) {
        if (!verbs[i]->summary)
            continue;
        nearest_offer(&n, verbs[i]->name);
        for (k = 0; k < sizeof(verbs[i]->aliases) / sizeof(*verbs[i]->aliases); k++)
            if (verbs[i]->aliases[k])
                nearest_offer(&n, verbs[i]->aliases[k]);
    }
    return suggest(&n);
}

static void verbs_overview(void)
{
    size_t i;

    puts("Usage: ach VERB [OPTION ...] [ARGUMENT ...]\n\n"
         "Create, inspect and use channels, the shared memory through which processes exchange\n"
         "messages.");
    for (i = 0; verbs[i]; i++) {
        if (verbs[i]->group)
            printf("\n%s:\n", verbs[i]->group);
        if (verbs[i]->summary)
            printf("  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
    }
    puts("\n'ach help VERB' or 'ach VERB --help' prints more, and so does the manual, for example\n"
         "'man ach-mk'. 'ach --version' prints the version. Channels are files in the directory\n"
         "that the environment variable ACH_DIR names, /dev/shm by default. achlog, achcop and\n"
         "achcat are separate programs.\n\n"
         "Exit status: 0 done, 1 failed, 2 wrong use.\n\n"
         "Examples:\n"
         "  ach mk -m 10 -n 64 imu        create a channel for 10 messages of 64 bytes\n"
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

static int verbs_run(int argc, char **argv)
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
    verbs_overview();
    return EXIT_OK;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "print the help of a verb",
    .help = "Usage: ach help [--verbs] [VERB]\n\n"
            "List the verbs, or print the help of one of them.\n\n"
            "Options:\n"
            "      --verbs  only print the names of the verbs, for completion\n"
            "  -h, --help   print this help\n\n"
            "Examples:\n"
            "  ach help\n"
            "  ach help mk\n",
    .run = verbs_run,
};
