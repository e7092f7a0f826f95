/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.c - the verb: ach replay LOG...
 */
#include "replay.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common.h"

enum {
    OPTION_MAX = 256,
    OPTION_TO,
    OPTION_MAP,
    OPTION_LOOP,
    OPTION_START,
    OPTION_END,
    OPTION_CREATE,
    OPTION_INFO
};

static const struct option long_options[] = {{"speed", required_argument, NULL, 'S'},
                                             {"max", no_argument, NULL, OPTION_MAX},
                                             {"to", required_argument, NULL, OPTION_TO},
                                             {"map", required_argument, NULL, OPTION_MAP},
                                             {"loop", required_argument, NULL, OPTION_LOOP},
                                             {"start", required_argument, NULL, OPTION_START},
                                             {"end", required_argument, NULL, OPTION_END},
                                             {"create", no_argument, NULL, OPTION_CREATE},
                                             {"info", no_argument, NULL, OPTION_INFO},
                                             {"json", no_argument, NULL, 'j'},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"help", no_argument, NULL, 'h'},
                                             {"version", no_argument, NULL, 'V'},
                                             {0}};

struct replay_arguments {
    struct replay_options replay;
    const char **maps;
    bool paced; /* a speed was given */
    bool max;
    bool info;
    bool json;
};

static void replay_print_help(void)
{
    puts("Usage: ach replay [OPTION]... LOG...\n"
         "Play logs of achlog back into their channels, merged by time.\n"
         "\n"
         "  -S, --speed X      X times as fast as recorded\n"
         "      --max          as fast as possible\n"
         "      --to CHANNEL   play all logs into this channel\n"
         "      --map OLD=NEW  play the log of the channel OLD into NEW\n"
         "      --loop N       play N times; 0 is for ever\n"
         "      --start S      begin S seconds after the first message\n"
         "      --end S        end S seconds after the first message\n"
         "      --create       create channels that do not exist, as recorded\n"
         "      --info         do not play; print what is in the logs\n"
         "  -j, --json         with --info: print JSON\n"
         "  -q, --quiet        no summary at the end\n"
         "  -h, --help         print this help\n"
         "  -V, --version      print the version\n"
         "\n"
         "Examples:\n"
         "  ach replay --create imu.achlog\n"
         "  ach replay --speed 2 --map imu=imu-old imu.achlog state.achlog\n"
         "  ach replay --info --json imu.achlog");
}

static bool set_speed(struct replay_options *o, const char *text)
{
    if (!tool_parse_seconds(text, "the speed", &o->speed))
        return false;
    if (o->speed >= 1e-6)
        return true;
    tool_complain("the speed must be at least 0.000001; --max plays without waiting");
    return false;
}

static bool add_map(struct replay_arguments *a, const char *text)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text || !equals[1]) {
        tool_complain("--map needs OLD=NEW, not '%s'", text);
        return false;
    }
    a->maps[a->replay.n_maps++] = text;
    return true;
}

static bool replay_set_option(void *cx, int option)
{
    struct replay_arguments *a = cx;

    switch (option) {
    case 'S':
        return a->paced = set_speed(&a->replay, optarg);
    case OPTION_MAX:
        return a->max = true;
    case OPTION_TO:
        a->replay.to = optarg;
        return true;
    case OPTION_MAP:
        return add_map(a, optarg);
    case OPTION_LOOP:
        return tool_parse_count(optarg, "the number of loops", 0, &a->replay.loops);
    case OPTION_START:
        return tool_parse_seconds(optarg, "the start", &a->replay.start);
    case OPTION_END:
        return tool_parse_seconds(optarg, "the end", &a->replay.end);
    case OPTION_CREATE:
        return a->replay.create = true;
    case OPTION_INFO:
        return a->info = true;
    case 'j':
        return a->json = true;
    case 'q':
        return a->replay.quiet = true;
    default:
        return false;
    }
}

static int check_arguments(const struct replay_arguments *a, int argc)
{
    if (optind == argc) {
        tool_complain("no log is given. See ach replay --help");
        return EXIT_USAGE;
    }
    if (a->json && !a->info) {
        tool_complain("--json needs --info");
        return EXIT_USAGE;
    }
    if (a->max && a->paced) {
        tool_complain("--max and --speed exclude each other");
        return EXIT_USAGE;
    }
    if (a->replay.to && a->replay.n_maps) {
        tool_complain("--to and --map exclude each other");
        return EXIT_USAGE;
    }
    if (a->replay.end < a->replay.start) {
        tool_complain("--end is before --start");
        return EXIT_USAGE;
    }
    return -1;
}

/* Negative: go on. Otherwise exit with this status. */
static int replay_parse_arguments(struct replay_arguments *a, int argc, char **argv)
{
    static const struct options options = {"S:jqhV", long_options, replay_print_help,
                                           replay_set_option};
    int status;

    optind = 0;
    status = tool_parse_options(&options, argc, argv, a);
    if (status >= 0)
        return status;
    return check_arguments(a, argc);
}

int ach_verb_replay(int argc, char **argv)
{
    struct replay_arguments a = {.replay = {.speed = 1, .loops = 1, .end = INFINITY}};
    int status;
    size_t n;

    tool_name = "ach replay";
    a.maps = calloc((size_t)argc + 1, sizeof(*a.maps));
    if (!a.maps) {
        tool_complain("no memory");
        return EXIT_FAILED;
    }
    a.replay.maps = a.maps;
    status = replay_parse_arguments(&a, argc, argv);
    n = (size_t)(argc - optind);
    if (a.max)
        a.replay.speed = 0;
    if (status < 0)
        status = a.info ? replay_info(argv + optind, n, a.json)
                        : replay_play(argv + optind, n, &a.replay);
    free(a.maps);
    return status;
}
