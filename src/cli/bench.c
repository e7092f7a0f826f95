/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach bench - measure the latency of channels on this machine
 *
 * A program of its own measures; here it is found, given what it lacks to be
 * convenient, and run in place of this one.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "streams.h"

#define PROGRAM "ach-peers"
/* Where ach is within a build tree, and where the program is then, seen from there. */
#define BUILD_PLACE "/src/cli"
#define BUILD_PROGRAM "/../../bench/peers"
#ifndef ACH_LIBEXEC_DIR
#define ACH_LIBEXEC_DIR NULL /* built without benchmarks */
#endif

/* The program knows the values; of the options only counts whether they choose what to measure. */
enum kind {
    CHOOSES = 1,
    ADJUSTS,
    QUICK,
    ALL,
};

struct choice {
    bool made, quick, all;
};

static bool parse(int argc, char **argv, struct choice *choice)
{
    static const struct option longs[] = {
        {"quick", no_argument, NULL, QUICK},
        {"all", no_argument, NULL, ALL},
        {"long", no_argument, NULL, CHOOSES},
        {"scenario", required_argument, NULL, CHOOSES},
        {"list", no_argument, NULL, CHOOSES},
        {"rate", required_argument, NULL, CHOOSES},
        {"size", required_argument, NULL, CHOOSES},
        {"senders", required_argument, NULL, CHOOSES},
        {"receivers", required_argument, NULL, CHOOSES},
        {"hops", required_argument, NULL, CHOOSES},
        {"wait", required_argument, NULL, CHOOSES},
        {"realtime", no_argument, NULL, CHOOSES},
        {"seconds", required_argument, NULL, CHOOSES},
        {"only", required_argument, NULL, ADJUSTS},
        {"rounds", required_argument, NULL, ADJUSTS},
        {"json", required_argument, NULL, ADJUSTS},
        {"modules", required_argument, NULL, ADJUSTS},
        {0},
    };
    int c;

    while ((c = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
        if (c == '?') {
            usage_hint();
            return false;
        }
        choice->made |= c != ADJUSTS;
        choice->quick |= c == QUICK;
        choice->all |= c == ALL;
        if (c == ALL)
            argv[optind - 1] = NULL; /* not an option of the program: it measures all if not told */
    }
    if (optind < argc)
        usage("there are only options, not also '%s'", argv[optind]);
    else if (choice->all && choice->quick)
        usage("--all and --quick do not go together");
    return optind == argc && !(choice->all && choice->quick);
}

/* In a build tree, what was built with this ach counts, not what is installed. */
static bool in_build_tree(char *dir, size_t size)
{
    const size_t tail = strlen(BUILD_PLACE);
    ssize_t n = readlink("/proc/self/exe", dir, size - 1);
    char *slash;

    if (n < 0)
        return false;
    dir[n] = '\0';
    slash = strrchr(dir, '/');
    if (!slash || (size_t)(slash - dir) < tail || memcmp(slash - tail, BUILD_PLACE, tail) != 0 ||
        (size_t)(slash - dir) + sizeof(BUILD_PROGRAM) > size)
        return false;
    memcpy(slash, BUILD_PROGRAM, sizeof(BUILD_PROGRAM));
    return true;
}

/* The directory of the program; false if there is none in this build. */
static bool find(char *dir, size_t size)
{
    const char *env = getenv("ACH_LIBEXEC"), *installed = ACH_LIBEXEC_DIR;

    if (env && *env) {
        snprintf(dir, size, "%s", env);
        return true;
    }
    if (!installed)
        return false;
    if (!in_build_tree(dir, size))
        snprintf(dir, size, "%s", installed);
    return true;
}

static int execute(const char *dir, int argc, char **argv, bool quick)
{
    char program[PATH_MAX + sizeof("/" PROGRAM)], modules[PATH_MAX + sizeof("/libraries")];
    char modules_option[] = "--modules", quick_option[] = "--quick";
    char **args = calloc((size_t)argc + 4, sizeof(*args));
    int i, n = 0;

    if (!args) {
        complain("out of memory");
        return EXIT_FAILED;
    }
    snprintf(program, sizeof(program), "%s/" PROGRAM, dir);
    snprintf(modules, sizeof(modules), "%s/libraries", dir);
    args[n++] = argv[0];
    args[n++] = modules_option;
    args[n++] = modules;
    if (quick)
        args[n++] = quick_option;
    for (i = 1; i < argc; i++) {
        if (argv[i])
            args[n++] = argv[i];
    }
    streams_flush();
    signal(SIGPIPE, SIG_DFL); /* it measures for minutes; without a reader it shall not */
    execv(program, args);
    complain("cannot start %s: %s", program, strerror(errno));
    free(args);
    return EXIT_FAILED;
}

static int run(int argc, char **argv)
{
    struct choice choice = {0};
    char dir[PATH_MAX];

    if (!parse(argc, argv, &choice))
        return EXIT_USAGE;
    if (!find(dir, sizeof(dir))) {
        complain("this build has no benchmark; 'meson configure -Dbench=true' gives it one");
        return EXIT_FAILED;
    }
    return execute(dir, argc, argv, !choice.made);
}

const struct verb verb_bench = {
    .name = "bench",
    .group = "This machine",
    .summary = "measure the latency of channels on this machine",
    .help =
        "Usage: ach bench [OPTION ...]\n\n"
        "Measure how long messages take from process to process on this machine, through\n"
        "channels and through what else carries messages here, side by side. Without options\n"
        "it measures the main scenarios, which takes a minute or two. Channels that are in use\n"
        "are not touched, but on a busy machine the numbers tell of its load.\n\n"
        "What to measure:\n"
        "      --quick           the main scenarios; this is the default\n"
        "      --all             all scenarios, with more rounds\n"
        "      --long            600 seconds for each contender at 1 kHz\n"
        "      --scenario NAMES  these, with commas between them\n"
        "      --only NAMES      only these contenders, with commas between them\n"
        "      --list            list the contenders\n\n"
        "Or a scenario of your own; what is not given is as in the parentheses:\n"
        "      --rate HZ         messages per second; 0: the next when the last is back (1000)\n"
        "      --size BYTES      of a message (64)\n"
        "      --senders N       processes that send, each at the rate (1)\n"
        "      --receivers N     processes that all receive every message (1)\n"
        "      --hops N          links in a row, each to another process (1)\n"
        "      --wait HOW        receivers block, spin or poll (block)\n"
        "      --realtime        with real-time priority, SCHED_FIFO\n"
        "      --seconds N       for each round (1)\n\n"
        "How:\n"
        "      --rounds N        how often each contender has its turn\n"
        "      --json FILE       write the results there, too\n"
        "      --modules DIR     where the contenders are that need a library\n"
        "  -h, --help            print this help\n\n"
        "Scenarios: paced-1k saturated spin paced-8k poll poll-saturated fifo receivers\n"
        "receivers-1k receivers-8k senders sizes untouched hops stopped\n\n"
        "Examples:\n"
        "  ach bench\n"
        "  ach bench --rate 500 --size 1024 --receivers 3 --only ach,pipe\n"
        "  ach bench --rate 1000 --realtime --seconds 60 --rounds 1 --only ach\n"
        "  ach bench --all --json report.json\n",
    .run = run,
};
