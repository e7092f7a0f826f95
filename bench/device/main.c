/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - ach-device-bench: how long data of a device takes to its clients over TCP
 *
 * One process has the device and the server, another all the clients, on loopback.
 */
#include "filelimit.h"

#include "device.h"

#define SECONDS 10
#define PAIRED_SECONDS 2
#define PAIRS 9u
#define QUICK_SECONDS 0.5
#define QUICK_DIVIDE 20u

static void measure_one(const struct group *g, const struct plan *plan, const char *name,
                        struct robot *robot, unsigned round)
{
    struct outcome once = {0};

    (plan->attack ? attack_run : crowd_run)(plan, robot->port, &once);
    peer_kill(robot->pid);
    row_add(row_of(g, name, NULL, 0), round, &once);
}

static void measure(const struct group *g, unsigned round)
{
    struct plan plan = *(const struct plan *)g->what;

    if (bench.quick && plan.clients > QUICK_DIVIDE)
        plan.clients /= QUICK_DIVIDE;
    plan.seconds = bench.quick ? QUICK_SECONDS : plan.floor ? PAIRED_SECONDS : SECONDS;
    measure_one(g, &plan, plan.attack ? "round trip" : "latency", robot_start(plan.rate), round);
    if (plan.floor)
        measure_one(g, &plan, "raw TCP", robot_start_raw(plan.rate, plan.clients), round);
}

#define PLAN(...)                                                                                  \
    .unit = "us", .measure = measure, .once = true, .what = &(const struct plan)                   \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
/* In turns with the floor. */
#define PAIRED(...)                                                                                \
    .unit = "us", .measure = measure, .floor = "raw TCP", .rounds = PAIRS,                         \
    .what = &(const struct plan)                                                                   \
    {                                                                                              \
        .floor = true, __VA_ARGS__                                                                 \
    }
#define BESIDE(how) PLAN(.rate = 100, .attack = (how))
#define PULL .pull = true

static const struct group groups[] = {
    {"push_100Hz", "1 client, 100 Hz", PAIRED(.rate = 100, .clients = 1)},
    {"push_1000Hz", "1 client, 1 kHz", PAIRED(.rate = 1000, .clients = 1)},
    {"pull_100Hz", "1 client that asks for data, 100 Hz", PLAN(.rate = 100, .clients = 1, PULL)},
    {"pull_1000Hz", "1 client that asks for data, 1 kHz", PLAN(.rate = 1000, .clients = 1, PULL)},
    {"clients_1000", "1000 clients, 100 Hz", PAIRED(.rate = 100, .clients = 1000)},
    {"clients_1000_one_stopped", "1000 clients, and one that does not read",
     PLAN(.rate = 100, .clients = 1000, .stopped = 1)},
    {"beside_maps_unread", "another client beside 4 that ask for maps and do not read",
     BESIDE(MAPS_UNREAD)},
    {"beside_maps_read", "another client beside 4 that ask for maps", BESIDE(MAPS_READ)},
    {"beside_refused_commands", "another client beside 4 whose commands are refused",
     BESIDE(REFUSED_COMMANDS)},
    {"beside_partial_messages", "another client beside 200 that send parts of messages",
     BESIDE(PARTIAL_MESSAGES)},
    {"beside_strangers", "another client beside 200 that come and go", BESIDE(STRANGERS)},
};

/* Of a machine that does nothing else. */
static const struct claim claims[] = {
    {"pu*", "latency", NULL, P50_BELOW, .limit = 200},
    {"push_*", "latency", "raw TCP", AT_MOST, .limit = 1.3},
    {"clients_*", "latency", NULL, P99_BELOW, .limit = 10000},
    {"beside_*", "round trip", NULL, P99_BELOW, .limit = 50000},
    {0},
};

static void begin(void)
{
    filelimit_raise(0);
    machine_unpin();
}

static const struct program program = {
    .name = "ach-device-bench",
    .about = "Measures how long data of a device takes to clients over TCP on loopback.\n",
    .groups = groups,
    .count = ARRAY_SIZE(groups),
    .claims = claims,
    .begin = begin,
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, &program);
}
