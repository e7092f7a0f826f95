/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - ach-peers: compare channels with what else carries messages */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "peers.h"

#define OWN_ROUNDS 3u
#define SIZE_LIMIT 67108864.0

static const char *const mode_names[] = {
    [MODE_BLOCK] = "block", [MODE_SPIN] = "spin", [MODE_POLL] = "poll"};

static const char *only, *modules = PEERS_MODULES, *wait_mode = "block";
static double rate = 1000, size = SIZE_USUAL, senders = 1, receivers = 1, hops = 1, seconds = 1;
static int list, network, realtime;

static struct choice choices[] = {
    {"only", "NAMES", "only these contenders, and the floors", .text = &only},
    {"long", NULL, "600 seconds for each contender at 1 kHz, 1 and 2 receivers",
     .flag = &bench.lasting},
    {"modules", "DIR", "where the contenders are that need a library", .text = &modules},
    {"achd", "PROGRAM", "the relay of the scenarios network and network-fifo", .text = &relay_achd},
    {"tls", "DIR", "keys of the host 'localhost', for the contender achd TLS", .text = &relay_keys},
    {"list", NULL, "list the contenders", .flag = &list},
    {"rate", "HZ",
     "one scenario of your own, with this rate, usually 1000, or any of these; 0:\n"
     "                 the next message goes out when the last is back",
     .number = &rate, .most = 1e6},
    {"size", "BYTES", "usually 64; from 8 to 67108864", .number = &size, .least = SIZE_MIN,
     .most = SIZE_LIMIT},
    {"senders", "N", "at most 4", .number = &senders, .least = 1, .most = SENDERS_MAX},
    {"receivers", "N", "at most 16", .number = &receivers, .least = 1, .most = RECEIVERS_MAX},
    {"hops", "N", "at most 16: links in a row, each to another process", .number = &hops,
     .least = 1, .most = HOPS_MAX},
    {"wait", "HOW", "block, spin or poll", .text = &wait_mode},
    {"network", NULL, "over the loopback interface; only contenders that can reach other hosts",
     .flag = &network},
    {"realtime", NULL, "SCHED_FIFO", .flag = &realtime},
    {"seconds", "S", "usually 1, for each round", .number = &seconds, .least = 0.01, .most = 3600},
    {0},
};
#define OWN_CHOICES (&choices[6]) /* that make a scenario of the user's own */

static struct scenario own = {.peer_rounds = OWN_ROUNDS};
static struct group own_group = {.name = "own",
                                 .about = "as you asked",
                                 .measure = scenario_measure,
                                 .rounds = OWN_ROUNDS,
                                 .quick = true,
                                 .lasting = true,
                                 .in_process = true,
                                 .what = &own};

static enum mode mode_of(const char *text)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(mode_names); i++)
        if (mode_names[i] && strcmp(text, mode_names[i]) == 0)
            return (enum mode)i;
    refuse_option("--wait takes block, spin or poll, not '%s'", text);
}

static void make_own(void)
{
    own.setting = (struct setting){.mode = mode_of(wait_mode),
                                   .size = (size_t)size,
                                   .rate_hz = rate > 0 ? rate : -1,
                                   .senders = (unsigned)senders,
                                   .receivers = (unsigned)receivers,
                                   .hops = (unsigned)hops,
                                   .fifo = realtime,
                                   .network = network,
                                   .seconds = seconds};
    if (hops > 1 && (senders > 1 || receivers > 1))
        refuse_option("a chain of hops has one sender and one receiver");
    if (rate <= 0 && (senders > 1 || receivers > 1 || hops > 1))
        refuse_option("--rate 0 goes to and fro between two processes");
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
    json_bool(j, "network", s.network);
}

static void write_more(struct json *j)
{
    contenders_write(j);
    stopped_write(j);
}

static struct program program = {
    .name = "ach-peers",
    .about = "Compares channels with other ways to pass messages between processes: the same\n"
             "processes, payload and waiting for all. Prints tables, and writes them to FILE.\n",
    .groups = scenarios,
    .claims = claims,
    .in_pairs = true,
    .quick_rounds = 2,
    .only_quick = true,
    .choices = choices,
    .parsed = parsed,
    .begin = begin,
    .end = contenders_stop,
    .write = write_more,
    .write_row = write_setting,
};

static bool parsed(void)
{
    const struct choice *c = OWN_CHOICES;
    unsigned i;

    contenders_gather(modules, only);
    for (i = 0; list && i < contenders_here.count; i++)
        printf("%-20s %s\n", contenders_here.entry[i].c->name, contenders_here.entry[i].status);
    while (c->name && !c->given)
        c++;
    make_own();
    if (c->name) {
        own_group.floor = network                         ? "futex-TCP-futex"
                          : own.setting.mode == MODE_SPIN ? "cache line"
                                                          : "futex";
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
