/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scenarios.c - what is measured, and what we promise of channels
 *
 * The scenarios that promises are about have many rounds; the others show how
 * things grow.
 */
#include <sys/prctl.h>

#include "peers.h"

#define KIB 1024u
#define MIB (1024u * 1024u)
#define LARGE MIB /* copying such a message takes more time than all else */
#define LONG_SECONDS 600.0
#define QUICK_SCALE 0.5

/* A group, its rounds, those of libraries, and what its setting has besides the usual. */
#define SCENARIO(name_, about_, rounds_, peers_, ...)                                              \
    .name = (name_), .about = (about_), .rounds = (rounds_), .measure = scenario_measure,          \
    .in_process = true, .what = &(const struct scenario)                                           \
    {                                                                                              \
        .peer_rounds = (peers_), .setting = { __VA_ARGS__ }                                        \
    }
#define SLEEP .floor = "futex"
#define SPIN .floor = "cache line"
#define SATURATED .rate_hz = -1
#define BACK "the next one when the last is back"
#define SIZE(text, bytes, rounds, time)                                                            \
    SLEEP, .x = (bytes),                                                                           \
           SCENARIO("sizes", text ", " BACK, rounds, 2, SATURATED, .size = (bytes),                \
                    .seconds = (time))
#define UNTOUCHED(text, bytes, time)                                                               \
    .x = (bytes), .quick = true,                                                                   \
    SCENARIO("untouched", text " in place, payload not touched", 6, 3, SATURATED,                  \
             .untouched = true, .size = (bytes), .seconds = (time))
#define HOPS(text, n)                                                                              \
    SLEEP, .x = (n), SCENARIO("hops", text ", 500 Hz", 2, 1, .rate_hz = 500, .hops = (n))
#define RECEIVERS(n, peers)                                                                        \
    SLEEP, .x = (n), SCENARIO("receivers", #n " receivers, 1 kHz", 10, peers, .receivers = (n))
#define SENDERS(n)                                                                                 \
    SLEEP, .x = (n), SCENARIO("senders", #n " senders, 1 kHz each", 3, 2, .senders = (n))
#define PERIODIC_WAYS                                                                              \
    "ach sleeping,ach 1 %,ach 2 %,ach 5 %,ach 10 %,ach listening,ach "                             \
    "spinning,futex,eventfd,iceoryx"
#define TWO_WAYS "ach sleeping,ach 2 %"
/* A group of times, one of the receivers' processor time, and one of the puts. */
#define PERIODIC(name_, about_, x_, rounds_, only_, ...)                                           \
    {.name = (name_),                                                                              \
     .about = about_ ": time until the message is there",                                          \
     .floor = "ach sleeping",                                                                      \
     .x = (x_),                                                                                    \
     .rounds = (rounds_),                                                                          \
     .measure = scenario_measure,                                                                  \
     .in_process = true,                                                                           \
     .two_cpus = true,                                                                             \
     .what = &(const struct scenario){.peer_rounds = (rounds_),                                    \
                                      .only = (only_),                                             \
                                      .setting = {.periodic = true, __VA_ARGS__}}},                \
        {.name = "cpu-" name_,                                                                     \
         .about = about_ ": processor time of the receiver",                                       \
         .unit = "%",                                                                              \
         .floor = "ach sleeping",                                                                  \
         .x = (x_),                                                                                \
         .rounds = (rounds_),                                                                      \
         .part = true},                                                                            \
    {                                                                                              \
        .name = "put-" name_, .about = about_ ": one put", .floor = "ach sleeping", .x = (x_),     \
        .rounds = (rounds_), .part = true                                                          \
    }
#define RHYTHM(name, hz, rounds, time)                                                             \
    PERIODIC("rhythm-" name, #hz " Hz", 0, rounds, PERIODIC_WAYS, .rate_hz = (hz), .apart = true,  \
             .seconds = (time))
#define LATE(name, hz, us, time)                                                                   \
    PERIODIC("jitter-" name, #hz " Hz, up to " #us " us late", us, 4, PERIODIC_WAYS,               \
             .rate_hz = (hz), .jitter_us = (us), .apart = true, .seconds = (time))
#define JITTER(name, hz, time) LATE(name, hz, 5, time), LATE(name, hz, 50, time)
#define DISORDER(name, text, ...)                                                                  \
    PERIODIC("disorder-" name, text, 0, 20, TWO_WAYS, .seconds = 0.4, __VA_ARGS__)
#define NETWORK(name, rounds, ...)                                                                 \
    .floor = "futex-TCP-futex", SCENARIO(name, "over TCP or UDP of the loopback interface, 1 kHz", \
                                         rounds, rounds, .network = true, __VA_ARGS__)

const struct group scenarios[] = {
    {SLEEP, SCENARIO("paced-1k", "1 kHz", 12, 10, .seconds = 0.25), .quick = true, .lasting = true},
    {SLEEP, SCENARIO("saturated", BACK, 12, 10, SATURATED), .quick = true},
    {SPIN, SCENARIO("spin", "receivers spin; " BACK, 12, 4, SATURATED, .mode = MODE_SPIN),
     .quick = true},
    {SLEEP, SCENARIO("paced-8k", "8 kHz", 4, 2, .rate_hz = 8000)},
    {SLEEP, SCENARIO("poll", "receivers wait in poll, 1 kHz", 12, 2, .mode = MODE_POLL)},
    {SLEEP, SCENARIO("poll-saturated", "receivers wait in poll; " BACK, 12, 4, SATURATED,
                     .mode = MODE_POLL)},
    {SLEEP, SCENARIO("fifo", "real-time priority, 1 kHz", 4, 2, .fifo = true)},
    {RECEIVERS(2, 2), .quick = true, .lasting = true},
    {RECEIVERS(4, 2)},
    {RECEIVERS(16, 1)},
    {SLEEP, SCENARIO("receivers-1k", "2 receivers, 1 kHz, and no more", 10, 2, .receivers = 2),
     .asked = true},
    {SLEEP, SCENARIO("receivers-8k", "2 receivers, 8 kHz", 2, 1, .rate_hz = 8000, .receivers = 2)},
    {SENDERS(2)},
    {SENDERS(4)},
    {SIZE("8 B", 8, 3, 0.1)},
    {SIZE("1 KiB", KIB, 3, 0.1)},
    {SIZE("16 KiB", 16 * KIB, 3, 0.3)},
    {SIZE("64 KiB", 64 * KIB, 3, 0.5)},
    {SIZE("1 MiB", MIB, 5, 2), .quick = true},
    {SIZE("4 MiB", 4 * MIB, 3, 2)},
    {UNTOUCHED("64 B", SIZE_USUAL, 0.1)},
    {UNTOUCHED("1 MiB", MIB, 2)},
    {HOPS("1 hop", 1)},
    {HOPS("2 hops", 2)},
    {HOPS("4 hops", 4)},
    {HOPS("8 hops", 8)},
    {HOPS("16 hops", 16)},
    {NETWORK("network", 24)},
    {NETWORK("network-fifo", 12, .fifo = true)},
    RHYTHM("1k", 1000, 20, 0.4),
    RHYTHM("100", 100, 4, 1),
    RHYTHM("500", 500, 4, 0.5),
    RHYTHM("8k", 8000, 4, 0.3),
    JITTER("100", 100, 1),
    JITTER("500", 500, 0.5),
    JITTER("1k", 1000, 0.4),
    JITTER("8k", 8000, 0.3),
    DISORDER("random", "gaps of random length", .pattern = RANDOM),
    DISORDER("bursts", "bursts of five messages", .pattern = BURSTS),
    DISORDER("changing", "a period that changes", .pattern = CHANGING),
    DISORDER("pausing", "a sender that is killed and replaced", .pattern = PAUSING),
    DISORDER("two", "two senders out of phase", .senders = 2, .rate_hz = 700),
    DISORDER("halting", "a receiver that is stopped now and then", .halts = true),
    DISORDER("one-cpu", "all on one processor", .one_cpu = true),
    DISORDER("busy", "six busy loops beside", .busy = 6),
    PERIODIC("rhythm-hops", "8 hops, 500 Hz", 0, 10, "ach sleeping,ach 2 %,ach 10 %,futex",
             .rate_hz = 500, .hops = 8, .seconds = 0.5),
    {.name = "stopped",
     .about = "the receiver is stopped for a second; age of the first message after it goes on",
     .unit = "ms",
     .measure = stopped_measure,
     .quick = true,
     .once = true,
     .in_process = true},
};

const unsigned scenario_count = ARRAY_SIZE(scenarios);

const struct claim claims[] = {
    {"paced-1k", "ach", "library", AT_MOST, .limit = 1},
    {"paced-1k", "ach", "library", P99_AT_MOST, .limit = 1},
    {"paced-1k", "ach", "kernel", AT_MOST, .limit = 1.1},
    {"paced-1k", "ach", "futex", AT_MOST, .limit = 1.1},
    {"saturated", "ach", "library", AT_MOST, .limit = 1},
    {"saturated", "ach", "library", P99_AT_MOST, .limit = 1},
    {"saturated", "ach", "kernel", AT_MOST, .limit = 1.15},
    {"poll", "ach", "futex", AT_MOST, .limit = 1.5},
    {"poll-saturated", "ach", "futex", AT_MOST, .limit = 1.8},
    {"poll*", "ach device", "pipe", AT_MOST, .limit = 1},
    {"spin", "ach", "cache line", AT_MOST, .limit = 2},
    {"spin", "ach polled", "cache line", AT_MOST, .limit = 2},
    {"receivers", "ach", "futex", AT_MOST, .limit = 1.1},
    {"sizes", "ach", "library", AT_MOST, .limit = 1, .x = MIB},
    {"sizes", "ach", "kernel", AT_MOST, .limit = 1, .x = MIB},
    {"untouched", "ach in place", "ach in place", AT_MOST, .limit = 1.1, .x = MIB,
     .against_x = SIZE_USUAL},
    {"stopped", "ach newest", NULL, P50_BELOW, .limit = 5},
    {"rhythm-1k", "ach 2 %", "ach sleeping", AT_MOST, .limit = 0.12},
    {"rhythm-1k", "ach 2 %", "ach sleeping", P99_AT_MOST, .limit = 1},
    {"rhythm-1k", "ach 5 %", "ach sleeping", P99_AT_MOST, .limit = 0.6},
    {"put-rhythm-1k", "ach 2 %", "ach sleeping", AT_MOST, .limit = 0.4},
    {"cpu-*", "ach 1 %", "ach sleeping", EXTRA, .limit = 1.5},
    {"cpu-*", "ach 2 %", "ach sleeping", EXTRA, .limit = 2.5},
    {"cpu-*", "ach 5 %", "ach sleeping", EXTRA, .limit = 5.5},
    {"cpu-*", "ach 10 %", "ach sleeping", EXTRA, .limit = 10.5},
    {"disorder*", "ach 2 %", "ach sleeping", AT_MOST, .limit = 1.05},
    {"disorder*", "ach 2 %", "ach sleeping", P99_AT_MOST, .limit = 1.05},
    {"network*", "achd", "futex-TCP-futex", AT_MOST, .limit = 1.3},
    {"network*", "achd TLS", "futex-TCP-futex", AT_MOST, .limit = 1.6},
    {"network*", "achd", "cyclonedds", AT_MOST, .limit = 1},
    {"network*", "achd sleeping", "futex-TCP-futex", AT_MOST, .limit = 1.3},
    {"network*", "achd TLS sleeping", "futex-TCP-futex", AT_MOST, .limit = 1.6},
    {"network*", "achd", "cyclonedds-tcp", AT_MOST, .limit = 1},
    {"network*", "achd", "roscpp", AT_MOST, .limit = 1},
    {0},
};

static void busy_end(void *pid, size_t size)
{
    (void)size;
    peer_kill((pid_t)(intptr_t)pid);
}

/* A process that keeps a processor busy until it is released. */
static void busy_start(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGTERM, SIG_DFL);
        machine_unpin();
        for (;;)
            ;
    }
    MUST_SYS(pid > 0);
    hold(busy_end, (void *)(intptr_t)pid, 0);
}

static bool takes_part(const struct entry *e, const struct scenario *scenario)
{
    const struct setting *s = &scenario->setting;

    return !e->left_out && (!s->untouched || e->c->copies_nothing) &&
           e->c->reach != (s->network ? REACH_MACHINE : REACH_NETWORK) &&
           (scenario->only ? in_list(scenario->only, e->c->name) : !e->c->named);
}

static void one_turn(struct row *row, const struct contender *c, const struct setting *s,
                     unsigned round, struct cost *cost)
{
    struct outcome once = {0};

    run(c, s, &once, cost);
    if (once.why[0] && !bench.interrupted) /* the machine may be busy: once more */
        run(c, s, &once, cost);
    row_add(row, round, &once);
}

void scenario_measure(const struct group *g, unsigned round)
{
    const struct scenario *scenario = g->what;
    struct setting s = setting_complete(scenario->setting);
    unsigned i, held = held_count;

    for (i = 0; i < s.busy; i++)
        busy_start();
    s.seconds = bench.lasting ? LONG_SECONDS : bench.quick ? s.seconds * QUICK_SCALE : s.seconds;
    for (i = 0; i < contenders_here.count && !bench.interrupted; i++) {
        const struct entry *e = &contenders_here.entry[i];
        struct cost cost = {0};
        struct row *row;
        const char *why;

        if (!takes_part(e, scenario))
            continue;
        row = row_of(g, e->c->name, kind_names[e->c->kind], g->x);
        row->aside = e->c->copies_nothing && s.size >= LARGE;
        why = run_possible(e->c, &s);
        if (why)
            snprintf(row->all.why, sizeof(row->all.why), "%s", why);
        else if (e->c->kind != KIND_LIBRARY || bench.rounds > 0 || round < scenario->peer_rounds)
            one_turn(row, e->c, &s, round, &cost);
        if (cost.put_ns > 0) {
            row_value(g + 1, e->c->name, g->x, round, 100 * cost.cpu);
            row_value(g + 2, e->c->name, g->x, round, cost.put_ns);
        }
    }
    release_to(held);
}
