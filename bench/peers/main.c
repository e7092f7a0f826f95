/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-peers: compare channels with what else carries messages */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"

#define OWN_ROUNDS 3u
#define SIZE_LIMIT 67108864.0

enum { RATE = 256, SIZE, SENDERS, RECEIVERS, HOPS, WAIT, REALTIME, SECONDS, ONLY, MODULES };

static const struct option longs[] = {
    {"long", no_argument, &bench.lasting, true},
    {"only", required_argument, NULL, ONLY},
    {"modules", required_argument, NULL, MODULES},
    {"rate", required_argument, NULL, RATE},
    {"size", required_argument, NULL, SIZE},
    {"senders", required_argument, NULL, SENDERS},
    {"receivers", required_argument, NULL, RECEIVERS},
    {"hops", required_argument, NULL, HOPS},
    {"wait", required_argument, NULL, WAIT},
    {"realtime", no_argument, NULL, REALTIME},
    {"seconds", required_argument, NULL, SECONDS},
    {"list", no_argument, NULL, 'l'},
    {0},
};

static const char *const mode_names[] = {
    [MODE_BLOCK] = "block", [MODE_SPIN] = "spin", [MODE_POLL] = "poll"};

static const char *only, *modules = PEERS_MODULES;
static bool list;

/* The user's own scenario. */
static bool is_own;
static struct scenario own = {.peer_rounds = OWN_ROUNDS, .setting = {.seconds = 1}};
static struct group own_group = {.name = "own",
                                 .about = "as you asked",
                                 .measure = scenario_measure,
                                 .rounds = OWN_ROUNDS,
                                 .quick = true,
                                 .lasting = true,
                                 .in_process = true,
                                 .what = &own};

static _Noreturn void wrong_use(const char *why, const char *text)
{
    fprintf(stderr, "ach-peers: %s%s\n", why, text);
    exit(2);
}

static enum mode mode_of(const char *text)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(mode_names); i++)
        if (mode_names[i] && strcmp(text, mode_names[i]) == 0)
            return (enum mode)i;
    wrong_use("--wait takes block, spin or poll, not ", text);
}

static void option(int value, const char *name, const char *text)
{
    struct setting *s = &own.setting;

    is_own |= value >= RATE && value <= SECONDS;
    if (value == 'l')
        list = true;
    else if (value == ONLY)
        only = text;
    else if (value == MODULES)
        modules = text;
    else if (value == RATE)
        s->rate_hz = number(name, text, 0, 1e6) > 0 ? number(name, text, 0, 1e6) : -1;
    else if (value == SIZE)
        s->size = (size_t)number(name, text, SIZE_MIN, SIZE_LIMIT);
    else if (value == SENDERS)
        s->senders = (unsigned)number(name, text, 1, SENDERS_MAX);
    else if (value == RECEIVERS)
        s->receivers = (unsigned)number(name, text, 1, RECEIVERS_MAX);
    else if (value == HOPS)
        s->hops = (unsigned)number(name, text, 1, HOPS_MAX);
    else if (value == WAIT)
        s->mode = mode_of(text);
    else if (value == REALTIME)
        s->fifo = true;
    else if (value == SECONDS)
        s->seconds = number(name, text, 0.01, 3600);
}

/* What cannot be had together. */
static void check_own(const struct setting *s)
{
    if (s->hops > 1 && (s->senders > 1 || s->receivers > 1))
        wrong_use("a chain of hops has one sender and one receiver", "");
    if (s->rate_hz < 0 && (s->senders > 1 || s->receivers > 1 || s->hops > 1))
        wrong_use("--rate 0 goes to and fro between two processes", "");
}

static bool parsed(void);

/* The working directory is the program's own, for sockets and files of contenders. */
static void begin(void)
{
    char dir[PATH_MAX];

    MUST_SYS(realpath(getenv("ACH_DIR"), dir) && setenv("ACH_DIR", dir, 1) == 0 && chdir(dir) == 0);
    contenders_start();
}

static void write_setting(struct json *j, const struct group *g)
{
    const struct scenario *scenario = g->what;
    struct setting s;

    if (!scenario)
        return;
    s = setting_complete(scenario->setting);
    json_string(j, "mode", mode_names[s.mode]);
    json_string(j, "sched", s.fifo ? "fifo" : "other");
    json_uint(j, "size", s.size);
    json_number(j, "rate_hz", s.rate_hz);
    json_uint(j, "senders", s.senders);
    json_uint(j, "receivers", s.receivers);
    json_uint(j, "hops", s.hops);
    json_bool(j, "touched", !s.untouched);
}

static void write_more(struct json *j)
{
    contenders_write(j);
    stopped_write(j);
}

static struct program program = {
    .name = "ach-peers",
    .synopsis =
        "\n                 [--long] [--only CONTENDER,...] [--modules DIRECTORY] [--list]\n"
        "       ach-peers [--rate HZ] [--size BYTES] [--senders N] [--receivers N] [--hops N]\n"
        "                 [--wait block|spin|poll] [--realtime] [--seconds S] ...",
    .about = "Compares channels with other ways to pass messages between processes: the same\n"
             "processes, payload and waiting for all. Prints tables, and writes them to FILE.\n",
    .help = "  --only        only these contenders, and the floors\n"
            "  --long        600 seconds for each contender at 1 kHz, 1 and 2 receivers\n"
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
    .groups = scenarios,
    .claims = claims,
    .in_pairs = true,
    .quick_rounds = 2,
    .only_quick = true,
    .options = longs,
    .option = option,
    .parsed = parsed,
    .begin = begin,
    .end = contenders_stop,
    .write = write_more,
    .write_row = write_setting,
};

static bool parsed(void)
{
    unsigned i;

    check_own(&own.setting);
    contenders_gather(modules, only);
    for (i = 0; list && i < contenders_here.count; i++)
        printf("%-20s %s\n", contenders_here.entry[i].c->name, contenders_here.entry[i].status);
    if (is_own) {
        own_group.floor = own.setting.mode == MODE_SPIN ? "cache line" : "futex";
        program.groups = &own_group;
        program.count = 1;
        program.claims = NULL;
        bench.scenarios = NULL;
        bench.extent = "own";
    }
    return !list;
}

int main(int argc, char **argv)
{
    program.count = scenario_count;
    return bench_main(argc, argv, &program);
}
