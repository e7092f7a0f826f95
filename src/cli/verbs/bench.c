/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ach bench - measure the latency of channels on this machine
 *
 * A separate program, ach-peers, measures. This verb finds it, adds the options that
 * it needs, and execs it.
 */
#include <stdlib.h>

#include "cli.h"
#include "libexec.h"

static const struct libexec_program bench_program = {.name = "ach-peers",
                                                     .build = "/../../bench/peers",
#ifdef ACH_HAS_BENCH
                                                     .built = true
#endif
};

/* The program checks values. Here it only matters whether an option chooses what to measure. */
enum bench_kind {
    CHOOSES = 1,
    ADJUSTS,
    QUICK,
    ALL,
};

struct bench_choice {
    bool made, quick, all;
};

static bool bench_parse(int argc, char **argv, struct bench_choice *choice)
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
        {"network", no_argument, NULL, CHOOSES},
        {"realtime", no_argument, NULL, CHOOSES},
        {"seconds", required_argument, NULL, CHOOSES},
        {"only", required_argument, NULL, ADJUSTS},
        {"rounds", required_argument, NULL, ADJUSTS},
        {"json", required_argument, NULL, ADJUSTS},
        {"modules", required_argument, NULL, ADJUSTS},
        {"achd", required_argument, NULL, ADJUSTS},
        {"tls", required_argument, NULL, ADJUSTS},
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
            argv[optind - 1] = NULL; /* not an option of the program: all is its default */
    }
    if (optind < argc)
        usage("unexpected argument '%s': only options are accepted", argv[optind]);
    else if (choice->all && choice->quick)
        usage("--all and --quick do not go together");
    return optind == argc && !(choice->all && choice->quick);
}

static int execute(const char *dir, int argc, char **argv, bool quick)
{
    char modules[PATH_MAX + sizeof("/libraries")];
    char modules_option[] = "--modules", quick_option[] = "--quick";
    char **args = calloc((size_t)argc + 4, sizeof(*args));
    int i, n = 0, status;

    if (!args) {
        complain("out of memory");
        return EXIT_FAILED;
    }
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
    status = libexec_exec(&bench_program, dir, args);
    free(args);
    return status;
}

static int bench_run(int argc, char **argv)
{
    struct bench_choice choice = {0};
    char dir[PATH_MAX];

    if (!bench_parse(argc, argv, &choice))
        return EXIT_USAGE;
    if (!libexec_find(&bench_program, dir)) {
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
        "channels and, for comparison, through other mechanisms. Without options it measures\n"
        "the main scenarios, which takes a minute or two. Channels that are in use are not\n"
        "touched, but on a busy machine the numbers also show the effect of its load.\n\n"
        "What to measure:\n"
        "      --quick           the main scenarios; this is the default\n"
        "      --all             all scenarios, with more rounds\n"
        "      --long            600 seconds for each contender at 1 kHz\n"
        "      --scenario NAMES  only these scenarios, with commas between them\n"
        "      --only NAMES      only these contenders, with commas between them\n"
        "      --list            list the contenders\n\n"
        "Or a scenario of your own; the defaults are in parentheses:\n"
        "      --rate HZ         messages per second; 0: the next when the last is back (1000)\n"
        "      --size BYTES      size of a message (64)\n"
        "      --senders N       processes that send, each at the rate (1)\n"
        "      --receivers N     processes that all receive every message (1)\n"
        "      --hops N          links in a row, each to another process (1)\n"
        "      --wait HOW        receivers block, spin or poll (block)\n"
        "      --network         over TCP or UDP of the loopback interface, as between hosts\n"
        "      --realtime        with real-time priority, SCHED_FIFO\n"
        "      --seconds N       duration of a round (1)\n\n"
        "How:\n"
        "      --rounds N        how many times each contender is measured\n"
        "      --json FILE       also write the results to FILE\n"
        "      --modules DIR     directory of the contenders that need a library\n"
        "      --achd PROGRAM    the relay to measure\n"
        "      --tls DIR         keys of the host 'localhost': measure the relay with TLS, too\n"
        "  -h, --help            print this help\n\n"
        "Scenarios: paced-1k saturated spin paced-8k poll poll-saturated fifo receivers\n"
        "receivers-1k receivers-8k senders sizes untouched hops network network-fifo rhythm-1k\n"
        "rhythm-100 rhythm-500 rhythm-8k jitter-100 jitter-500 jitter-1k jitter-8k\n"
        "disorder-random disorder-bursts disorder-changing disorder-pausing disorder-two\n"
        "disorder-halting disorder-one-cpu disorder-busy rhythm-hops stopped\n\n"
        "Examples:\n"
        "  ach bench\n"
        "  ach bench --rate 500 --size 1024 --receivers 3 --only ach,pipe\n"
        "  ach bench --rate 1000 --realtime --seconds 60 --rounds 1 --only ach\n"
        "  ach bench --all --json report.json\n",
    .run = bench_run,
};
