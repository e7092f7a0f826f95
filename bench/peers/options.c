/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define OWN_ROUNDS 3u
#define SIZE_LIMIT 67108864.0

enum {
    OWN_RATE = 256,
    OWN_SIZE,
    OWN_SENDERS,
    OWN_RECEIVERS,
    OWN_HOPS,
    OWN_WAIT,
    OWN_REALTIME,
    OWN_SECONDS
};

static void usage(FILE *f)
{
    unsigned i;

    fputs("usage: ach-peers [--quick | --long] [--scenario NAME,...] [--only CONTENDER,...]\n"
          "                 [--rounds N] [--json FILE] [--modules DIRECTORY] [--list]\n"
          "       ach-peers [--rate HZ] [--size BYTES] [--senders N] [--receivers N] [--hops N]\n"
          "                 [--wait block|spin|poll] [--realtime] [--seconds S] ...\n"
          "\n"
          "Compares channels with other ways to pass messages between processes: the same\n"
          "processes, payload and waiting for all. Prints tables, and writes them to FILE.\n"
          "\n"
          "  --quick       the main scenarios, a few rounds\n"
          "  --long        600 seconds for each contender at 1 kHz, 1 and 2 receivers\n"
          "  --scenario    only these:",
          f);
    for (i = 0; i < scenario_count; i++)
        if (i == 0 || strcmp(scenarios[i].name, scenarios[i - 1].name) != 0)
            fprintf(f, "%s %s", i % 8 == 7 ? "\n               " : "", scenarios[i].name);
    fputs(" stopped\n"
          "  --only        only these contenders, and the floors\n"
          "  --rounds N    how many times each contender is measured, 1 to 64\n"
          "  --json FILE   write the results there\n"
          "  --modules     where the contenders are that need a library\n"
          "  --list        list the contenders\n"
          "\n"
          "One scenario of your own, if one of these is given; the others have these values:\n"
          "\n"
          "  --rate HZ     1000; 0: the next message goes out when the last is back\n"
          "  --size BYTES  64; from 8 to 67108864\n"
          "  --senders N   1; at most 4\n"
          "  --receivers N 1; at most 16\n"
          "  --hops N      1; at most 16: links in a row, each to another process\n"
          "  --wait        block, spin or poll\n"
          "  --realtime    SCHED_FIFO\n"
          "  --seconds S   1, for each round\n",
          f);
}

bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    const char *p;

    for (p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

static double number(const char *option, const char *text, double least, double most)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end || !(x >= least && x <= most)) {
        fprintf(stderr, "ach-peers: --%s takes a number from %.10g to %.10g, not '%s'\n", option,
                least, most, text);
        exit(2);
    }
    return x;
}

static enum mode mode_of(const char *text)
{
    if (strcmp(text, "block") == 0)
        return MODE_BLOCK;
    if (strcmp(text, "spin") == 0)
        return MODE_SPIN;
    if (strcmp(text, "poll") == 0)
        return MODE_POLL;
    fprintf(stderr, "ach-peers: --wait takes block, spin or poll, not '%s'\n", text);
    exit(2);
}

/* An option of the user's own scenario. False: it is none. */
static bool own_option(struct options *o, int c, const char *name, const char *text)
{
    struct setting *s = &o->own.setting;

    switch (c) {
    case OWN_RATE:
        s->rate_hz = number(name, text, 0, 1e6);
        break;
    case OWN_SIZE:
        s->size = (size_t)number(name, text, MESSAGE_MIN, SIZE_LIMIT);
        break;
    case OWN_SENDERS:
        s->senders = (unsigned)number(name, text, 1, SENDERS_MAX);
        break;
    case OWN_RECEIVERS:
        s->receivers = (unsigned)number(name, text, 1, RECEIVERS_MAX);
        break;
    case OWN_HOPS:
        s->hops = (unsigned)number(name, text, 1, RUN_HOPS_MAX);
        break;
    case OWN_WAIT:
        s->mode = mode_of(text);
        break;
    case OWN_REALTIME:
        s->fifo = true;
        break;
    case OWN_SECONDS:
        s->seconds = number(name, text, 0.01, 3600);
        break;
    default:
        return false;
    }
    o->custom = true;
    return true;
}

/* What cannot be had together. */
static void check_own(const struct setting *s)
{
    const char *wrong = NULL;

    if (s->hops > 1 && (s->senders > 1 || s->receivers > 1))
        wrong = "a chain of hops has one sender and one receiver";
    else if (s->rate_hz <= 0 && (s->senders > 1 || s->receivers > 1 || s->hops > 1))
        wrong = "--rate 0 goes to and fro between two processes";
    if (wrong) {
        fprintf(stderr, "ach-peers: %s\n", wrong);
        exit(2);
    }
}

void check_list(const char *list, const char *what, const char *(*name)(unsigned), const char *see)
{
    const char *p, *known;

    for (p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ",");
        unsigned i = 0;

        do
            known = name(i++);
        while (known && (strlen(known) != n || strncmp(p, known, n) != 0));
        if (!known) {
            fprintf(stderr, "ach-peers: there is no %s '%.*s'; see %s\n", what, (int)n, p, see);
            exit(2);
        }
    }
}

static const char *scenario_name(unsigned i)
{
    return i < scenario_count ? scenarios[i].name : i == scenario_count ? "stopped" : NULL;
}

void options_parse(struct options *o, int argc, char **argv)
{
    const struct option names[] = {{"quick", no_argument, &o->quick, true},
                                   {"long", no_argument, &o->long_, true},
                                   {"scenario", required_argument, NULL, 's'},
                                   {"only", required_argument, NULL, 'o'},
                                   {"rounds", required_argument, NULL, 'r'},
                                   {"json", required_argument, NULL, 'j'},
                                   {"rate", required_argument, NULL, OWN_RATE},
                                   {"size", required_argument, NULL, OWN_SIZE},
                                   {"senders", required_argument, NULL, OWN_SENDERS},
                                   {"receivers", required_argument, NULL, OWN_RECEIVERS},
                                   {"hops", required_argument, NULL, OWN_HOPS},
                                   {"wait", required_argument, NULL, OWN_WAIT},
                                   {"realtime", no_argument, NULL, OWN_REALTIME},
                                   {"seconds", required_argument, NULL, OWN_SECONDS},
                                   {"modules", required_argument, NULL, 'm'},
                                   {"list", no_argument, &o->list, true},
                                   {"help", no_argument, NULL, 'h'},
                                   {NULL, 0, NULL, 0}};
    int c, which = 0;

    *o = (struct options){.own = {.name = "own",
                                  .about = "as you asked",
                                  .rounds = OWN_ROUNDS,
                                  .peer_rounds = OWN_ROUNDS,
                                  .setting = {.mode = MODE_BLOCK,
                                              .size = 64,
                                              .rate_hz = 1000,
                                              .senders = 1,
                                              .receivers = 1,
                                              .hops = 1,
                                              .touch = true,
                                              .seconds = 1}}};
    o->modules = PEERS_MODULES;
    while ((c = getopt_long(argc, argv, "h", names, &which)) != -1) {
        if (own_option(o, c, names[which].name, optarg))
            continue;
        switch (c) {
        case 0: /* a flag */
            break;
        case 's':
            o->scenarios = optarg;
            break;
        case 'o':
            o->only = optarg;
            break;
        case 'r':
            o->rounds = (unsigned)number("rounds", optarg, 1, ROUNDS_MAX);
            break;
        case 'j':
            o->json = optarg;
            break;
        case 'm':
            o->modules = optarg;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ach-peers: what is '%s'? See --help\n", argv[optind]);
        exit(2);
    }
    check_list(o->scenarios, "scenario", scenario_name, "--help");
    check_own(&o->own.setting);
}
