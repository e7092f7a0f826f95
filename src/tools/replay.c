/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * replay.c - the verb: ach replay FILE...
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
    OPTION_ONLY,
    OPTION_LOOP,
    OPTION_START,
    OPTION_END,
    OPTION_CREATE,
    OPTION_INFO,
    OPTION_PAUSED,
    OPTION_STATISTICS
};

static const struct option long_options[] = {{"speed", required_argument, NULL, 'S'},
                                             {"max", no_argument, NULL, OPTION_MAX},
                                             {"to", required_argument, NULL, OPTION_TO},
                                             {"map", required_argument, NULL, OPTION_MAP},
                                             {"only", required_argument, NULL, OPTION_ONLY},
                                             {"loop", required_argument, NULL, OPTION_LOOP},
                                             {"start", required_argument, NULL, OPTION_START},
                                             {"end", required_argument, NULL, OPTION_END},
                                             {"create", no_argument, NULL, OPTION_CREATE},
                                             {"paused", no_argument, NULL, OPTION_PAUSED},
                                             {"statistics", no_argument, NULL, OPTION_STATISTICS},
                                             {"info", no_argument, NULL, OPTION_INFO},
                                             {"json", no_argument, NULL, 'j'},
                                             {"quiet", no_argument, NULL, 'q'},
                                             {"help", no_argument, NULL, 'h'},
                                             {"version", no_argument, NULL, 'V'},
                                             {0}};

struct replay_arguments {
    struct replay_options replay;
    const char **maps, **only;
    bool paced; /* a speed was given */
    bool max;
    bool info;
    bool json;
};

static void replay_print_help(void)
{
    puts("Usage: ach replay [OPTION]... FILE...\n"
         "Play recordings back into their channels, merged by time: files of MCAP that 'ach "
         "record'\n"
         "or other programs wrote, logs of achlog, and logs of devices.\n"
         "\n"
         "  -S, --speed X      X times as fast as recorded\n"
         "      --max          as fast as possible\n"
         "      --only PATTERN only topics or channels of this name; may be repeated\n"
         "      --to CHANNEL   play everything into this channel\n"
         "      --map OLD=NEW  play the channel or topic OLD into NEW; may be repeated\n"
         "      --loop N       play N times; 0 is for ever\n"
         "      --start S      begin S seconds after the first message\n"
         "      --end S        end S seconds after the first message\n"
         "      --create       create channels that do not exist, as recorded\n"
         "      --paused       wait for a key before the first message\n"
         "      --statistics   at the end, print how late messages were played\n"
         "      --info         do not play; print what is in logs of achlog\n"
         "  -j, --json         with --info: print JSON\n"
         "  -q, --quiet        no summary at the end\n"
         "  -h, --help         print this help\n"
         "  -V, --version      print the version\n"
         "\n"
         "Keys in a terminal: space pauses, '.' plays the next message, the arrows left and right "
         "go\n"
         "5 s back and on, Home goes to the beginning, + and - change the speed, q quits.\n"
         "\n"
         "Examples:\n"
         "  ach replay --create drive.mcap\n"
         "  ach replay --speed 2 --only 'imu*' --map imu=imu-old drive.mcap\n"
         "  ach replay --info --json imu.achlog");
}

#define SPEED_LEAST 1e-6
#define SPEED_MOST 1e9

static bool set_speed(struct replay_options *o, const char *text)
{
    char *end;

    errno = 0;
    o->speed = strtod(text, &end);
    if (!errno && end != text && !*end && o->speed >= SPEED_LEAST && o->speed <= SPEED_MOST)
        return true;
    tool_complain(
        "the speed cannot be '%s': give a factor from 0.000001 to 1000000000, such as 0.5 for "
        "half as fast; --max plays without waiting",
        text);
    return false;
}

static bool add_map(struct replay_arguments *a, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t i;

    if (!equals || equals == text || !equals[1]) {
        tool_complain("--map needs OLD=NEW, not '%s'", text);
        return false;
    }
    for (i = 0; i < a->replay.n_maps; i++)
        if (strncmp(a->maps[i], text, (size_t)(equals - text) + 1) == 0) {
            tool_complain("--map %s: there is --map %s already", text, a->maps[i]);
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
    case OPTION_ONLY:
        a->only[a->replay.n_only++] = optarg;
        return true;
    case OPTION_LOOP:
        return tool_parse_count(optarg, "the number of loops", 0, &a->replay.loops);
    case OPTION_START:
        return tool_parse_seconds(optarg, "the start", &a->replay.start);
    case OPTION_END:
        return tool_parse_seconds(optarg, "the end", &a->replay.end);
    case OPTION_CREATE:
        return a->replay.create = true;
    case OPTION_PAUSED:
        return a->replay.paused = true;
    case OPTION_STATISTICS:
        return a->replay.statistics = true;
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
        tool_complain("no recording is given. See ach replay --help");
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
    a.maps = calloc(2 * (size_t)argc + 2, sizeof(*a.maps));
    if (!a.maps) {
        tool_complain("no memory");
        return EXIT_FAILED;
    }
    a.only = a.maps + argc + 1;
    a.replay.maps = a.maps;
    a.replay.only = a.only;
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
