/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - ach-device-bench: how long data of a device takes to its clients over TCP
 *
 * One process has the device and the server, another all the clients, on loopback.
 */
#include <sys/resource.h>

#include "device.h"

#define QUICK_SECONDS 0.5
#define QUICK_DIVIDE 20u

static double seconds = 10;

static void clients_measure(const struct group *g)
{
    struct crowd_plan plan = *(const struct crowd_plan *)g->what;
    struct robot robot = robot_start(plan.rate);
    struct outcome once = {0};

    if (bench.quick && plan.clients > QUICK_DIVIDE)
        plan.clients /= QUICK_DIVIDE;
    crowd_run(&plan, robot.port, bench.quick ? QUICK_SECONDS : seconds, &once);
    robot_end(&robot);
    row_add(row_of(g, "latency", NULL, 0), 0, &once);
}

static void attack_measure(const struct group *g)
{
    struct robot robot = robot_start(100);
    struct outcome once = {0};

    attack_run(*(const enum attack *)g->what, robot.port, bench.quick ? QUICK_SECONDS : seconds,
               &once.ns);
    robot_end(&robot);
    row_add(row_of(g, "round trip", NULL, 0), 0, &once);
}

#define CLIENTS(name_, about_, ...)                                                                \
    {                                                                                              \
        .name = (name_), .about = (about_), .unit = "us", .measure = clients_measure,              \
        .what = &(const struct crowd_plan)                                                         \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define BESIDE(name_, about_, attack_)                                                             \
    {                                                                                              \
        .name = (name_), .about = "another client beside " about_, .unit = "us",                   \
        .measure = attack_measure, .what = &(const enum attack)                                    \
        {                                                                                          \
            attack_                                                                                \
        }                                                                                          \
    }

static const struct group groups[] = {
    CLIENTS("push_100Hz", "1 client, 100 Hz", .rate = 100, .clients = 1),
    CLIENTS("push_1000Hz", "1 client, 1 kHz", .rate = 1000, .clients = 1),
    CLIENTS("pull_100Hz", "1 client that asks for data, 100 Hz", .rate = 100, .clients = 1,
            .pull = true),
    CLIENTS("pull_1000Hz", "1 client that asks for data, 1 kHz", .rate = 1000, .clients = 1,
            .pull = true),
    CLIENTS("clients_1000", "1000 clients, 100 Hz", .rate = 100, .clients = 1000),
    CLIENTS("clients_1000_one_stopped", "1000 clients, and one that does not read", .rate = 100,
            .clients = 1000, .stopped = 1),
    BESIDE("beside_maps_unread", "4 that ask for maps and do not read", MAPS_UNREAD),
    BESIDE("beside_maps_read", "4 that ask for maps", MAPS_READ),
    BESIDE("beside_refused_commands", "4 whose commands are refused", REFUSED_COMMANDS),
    BESIDE("beside_partial_messages", "200 that send parts of messages", PARTIAL_MESSAGES),
    BESIDE("beside_strangers", "200 that come and go", STRANGERS),
};

/* Of a machine that does nothing else. */
static const struct claim claims[] = {
    CLAIM("push_100Hz", "latency", NULL, P50_BELOW, 200),
    CLAIM("push_1000Hz", "latency", NULL, P50_BELOW, 200),
    CLAIM("pull_100Hz", "latency", NULL, P50_BELOW, 200),
    CLAIM("pull_1000Hz", "latency", NULL, P50_BELOW, 200),
    CLAIM("clients_1000", "latency", NULL, P99_BELOW, 10000),
    CLAIM("clients_1000_one_stopped", "latency", NULL, P99_BELOW, 10000),
    CLAIM("beside_maps_unread", "round trip", NULL, P99_BELOW, 50000),
    CLAIM("beside_maps_read", "round trip", NULL, P99_BELOW, 50000),
    CLAIM("beside_refused_commands", "round trip", NULL, P99_BELOW, 50000),
    CLAIM("beside_partial_messages", "round trip", NULL, P99_BELOW, 50000),
    CLAIM("beside_strangers", "round trip", NULL, P99_BELOW, 50000),
    {0},
};

static void set_seconds(int value, const char *name, const char *text)
{
    (void)value;
    seconds = number(name, text, 0.01, 3600);
}

static void allow_descriptors(void)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
        l.rlim_cur = l.rlim_max;
        setrlimit(RLIMIT_NOFILE, &l);
    }
    MUST_SYS(sched_setaffinity(0, sizeof(bench.machine.all), &bench.machine.all) == 0);
}

static const struct option longs[] = {{"seconds", required_argument, NULL, 256}, {0}};

static const struct program program = {
    .name = "ach-device-bench",
    .usage = "usage: ach-device-bench [--quick] [--seconds N] [--scenario NAME,...] [--json FILE]\n"
             "\n"
             "Measures how long data of a device takes to clients over TCP on loopback.\n"
             "\n"
             "  --quick       half a second each, and fewer clients\n"
             "  --seconds N   10, for each scenario\n"
             "  --scenario    only these:",
    .usage_end = "\n"
                 "  --json FILE   write the results there\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .rounds = 1,
    .quick_rounds = 1,
    .options = longs,
    .option = set_seconds,
    .begin = allow_descriptors,
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, &program);
}
