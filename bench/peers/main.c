/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * main.c - compare channels with what else carries messages
 *
 * The contenders take turns, round by round, so that whatever else the machine
 * does hits all alike.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../supervise.h"
#include "../ticks.h"
#include "channels.h"
#include "kernel.h"
#include "message.h"
#include "output.h"

#define LIMIT_SECONDS 1500u
#define LONG_LIMIT_SECONDS 86400u
#define LONG_SECONDS 600.0
#define QUICK_ROUNDS 2u
#define QUICK_SCALE 0.5
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

/* What meson could not build, and why: NAME, PACKAGE pairs. */
static const char *const missing_modules[][2] = {
#ifdef PEERS_MISSING
    PEERS_MISSING
#endif
    {NULL, NULL}};

struct options {
    bool quick, long_;
    unsigned rounds; /* 0: as the scenario says */
    const char *scenarios, *only;
    const char *json;
    const char *modules;
    bool list;
    bool custom; /* measure this instead of the scenarios */
    struct scenario own;
};

static struct results results;

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
          "  --rounds N    how often each contender has its turn, 1 to 64\n"
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
          "  --hops N      1; at most 16: processes that hand the message on\n"
          "  --wait        block, spin or poll\n"
          "  --realtime    SCHED_FIFO\n"
          "  --seconds S   1, for each round\n",
          f);
}

/* Is the name one of those in a list with commas? */
static bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    const char *p;

    for (p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
}

static void add(const struct contender *c, const char *status)
{
    struct entry *e = realloc(results.entries, (results.entry_count + 1) * sizeof(*e));

    if (!e)
        exit(1);
    results.entries = e;
    e = &e[results.entry_count++];
    *e = (struct entry){.c = c};
    snprintf(e->status, sizeof(e->status), "%s", status);
}

static void add_all(const struct contender *const *list)
{
    for (; *list; list++)
        add(*list, "ok");
}

static void add_missing(const char *name, const char *package, const char *why)
{
    struct contender *c = calloc(1, sizeof(*c));
    char status[160];

    if (!c)
        exit(1);
    c->name = name;
    c->kind = KIND_LIBRARY;
    c->package = package;
    snprintf(status, sizeof(status), "%s", why);
    add(c, status);
}

static void load(const char *directory, const char *file)
{
    const struct contender *const *list;
    char path[PATH_MAX];
    void *module;

    snprintf(path, sizeof(path), "%s/%s", directory, file);
    module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    list = module ? dlsym(module, "contenders") : NULL;
    if (list)
        add_all(list);
    else
        add_missing(strdup(file), NULL, dlerror());
}

static int ends_in_so(const struct dirent *d)
{
    size_t n = strlen(d->d_name);

    return n > 3 && strcmp(d->d_name + n - 3, ".so") == 0;
}

static void load_all(const char *directory)
{
    struct dirent **files;
    int i, n = directory ? scandir(directory, &files, ends_in_so, alphasort) : 0;

    for (i = 0; i < n; i++) {
        load(directory, files[i]->d_name);
        free(files[i]);
    }
    if (n > 0)
        free(files);
}

static void gather(const struct options *o)
{
    unsigned i, kept = 0;

    add(&contender_ach, "ok");
    add(&contender_ach_newest, "ok");
    add(&contender_ach_in_place, "ok");
    add(&contender_ach_heap, "ok");
    add_all(kernel_contenders);
    load_all(o->modules);
    for (i = 0; missing_modules[i][0]; i++) {
        char why[160];

        snprintf(why, sizeof(why), "not built: package %s was not there", missing_modules[i][1]);
        add_missing(missing_modules[i][0], missing_modules[i][1], why);
    }
    for (i = 0; o->only && i < results.entry_count; i++)
        if (results.entries[i].c->kind == KIND_FLOOR ||
            in_list(o->only, results.entries[i].c->name))
            results.entries[kept++] = results.entries[i];
    if (o->only)
        results.entry_count = kept;
}

static bool takes_part(const struct entry *e)
{
    return strcmp(e->status, "ok") == 0;
}

static void daemons(bool start, const char *dir)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        struct entry *e = &results.entries[i];
        const char *why;

        if (!takes_part(e))
            continue;
        if (!start && e->c->stop)
            e->c->stop();
        if (!start || !e->c->start)
            continue;
        why = e->c->start(dir);
        if (why)
            snprintf(e->status, sizeof(e->status), "%s", why);
    }
}

static bool wanted(const struct options *o, const struct scenario *s)
{
    if (o->scenarios)
        return in_list(o->scenarios, s->name);
    if (o->long_)
        return s->setting.rate_hz == 1000 && s->setting.mode == MODE_BLOCK && !s->setting.fifo &&
               s->setting.senders == 1 && s->setting.receivers <= 2;
    return !o->quick || s->quick;
}

static void progress(const struct scenario *s, unsigned round, unsigned rounds, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s, %s: round %u of %u, %s", s->name, s->about, round + 1, rounds,
                name);
}

static void one_turn(struct row *row, const struct setting *setting, unsigned round,
                     const char *dir)
{
    struct outcome once = {0};

    run(row->c, setting, dir, &once);
    if (once.why[0]) /* the machine may be busy: once more */
        run(row->c, setting, dir, &once);
    if (once.ns.count) {
        row->p50[round] = samples_quantile(&once.ns, 0.5);
        row->p99[round] = samples_quantile(&once.ns, 0.99);
    }
    samples_append(&row->all.ns, &once.ns);
    row->all.sent += once.sent;
    row->all.lost += once.lost;
    row->all.reordered += once.reordered;
    row->all.damaged += once.damaged;
    if (once.why[0])
        memcpy(row->all.why, once.why, sizeof(once.why));
    samples_finish(&once.ns);
}

/* A row for each contender that can do this. */
static void add_rows(const struct scenario *s)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        const struct entry *e = &results.entries[i];
        struct row *rows;

        if (!takes_part(e) || run_possible(e->c, &s->setting) || (s->in_place && !e->c->loan))
            continue;
        rows = realloc(results.rows.row, (results.rows.count + 1) * sizeof(*rows));
        if (!rows)
            exit(1);
        results.rows.row = rows;
        memset(&rows[results.rows.count], 0, sizeof(*rows));
        rows[results.rows.count].scenario = s;
        rows[results.rows.count++].c = e->c;
    }
}

static void compare(const struct options *o, const struct scenario *s, const char *dir)
{
    unsigned i, round, first = results.rows.count;
    unsigned rounds = o->rounds ? o->rounds : o->quick ? QUICK_ROUNDS : o->long_ ? 1 : s->rounds;
    struct setting setting = s->setting;
    const struct row *floor = NULL;

    if (o->quick)
        setting.seconds *= QUICK_SCALE;
    if (o->long_)
        setting.seconds = LONG_SECONDS;
    add_rows(s);
    for (round = 0; round < rounds; round++) {
        for (i = first; i < results.rows.count; i++) {
            struct row *row = &results.rows.row[i];

            if (row->c->kind == KIND_LIBRARY && !o->rounds && round >= s->peer_rounds)
                continue;
            progress(s, round, rounds, row->c->name);
            one_turn(row, &setting, round, dir);
        }
    }
    for (i = first; i < results.rows.count; i++)
        if (strcmp(results.rows.row[i].c->name, rows_floor(s->setting.mode)) == 0)
            floor = &results.rows.row[i];
    for (i = first; floor && i < results.rows.count; i++) {
        struct row *row = &results.rows.row[i];

        row->ratio = rows_ratio(row->p50, floor->p50);
        row->ratio_p99 = rows_ratio(row->p99, floor->p99);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    output_scenario(&results, first, s);
}

static void stop_receivers(const char *dir)
{
    unsigned i;

    for (i = 0; i < results.entry_count; i++) {
        struct entry *e = &results.entries[i];

        if (!takes_part(e) || e->c->kind == KIND_FLOOR)
            continue;
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\r\033[Kstopped: %s", e->c->name);
        stopped_run(e->c, dir, results.machine.main_cpu, results.machine.peer_cpu, &e->stopped);
        e->was_stopped = true;
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    output_stopped(&results);
}

static int all(void *arg)
{
    const struct options *o = arg;
    const char *dir = getenv("ACH_DIR");
    unsigned i;

    machine_init(&results.machine);
    ticks_init();
    run_cpus(results.machine.main_cpu, results.machine.peer_cpu);
    printf("machine   %s, %d CPUs\nkernel    %s\n", results.machine.cpu, results.machine.cpus,
           results.machine.kernel);
    gather(o);
    daemons(true, dir);
    output_contenders(&results);
    for (i = 0; i < scenario_count && !o->custom; i++)
        if (wanted(o, &scenarios[i]))
            compare(o, &scenarios[i], dir);
    if (o->custom)
        compare(o, &o->own, dir);
    else if (o->scenarios ? in_list(o->scenarios, "stopped") : !o->long_)
        stop_receivers(dir);
    daemons(false, dir);
    output_claims(&results);
    if (o->json && !output_json(&results, o->json)) {
        fprintf(stderr, "ach-peers: cannot write %s: %s\n", o->json, strerror(errno));
        return 1;
    }
    if (o->json)
        printf("report: %s\n", o->json);
    return 0;
}

static int list(const struct options *o)
{
    unsigned i;

    gather(o);
    for (i = 0; i < results.entry_count; i++)
        printf("%-20s %s\n", results.entries[i].c->name, results.entries[i].status);
    return 0;
}

static double number(const char *option, const char *text, double least, double most)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end || !(x >= least && x <= most)) {
        fprintf(stderr, "ach-peers: --%s takes a number from %g to %g, not '%s'\n", option, least,
                most, text);
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
        s->senders = (unsigned)number(name, text, 1, RUN_SENDERS_MAX);
        break;
    case OWN_RECEIVERS:
        s->receivers = (unsigned)number(name, text, 1, RUN_RECEIVERS_MAX);
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

static void check_scenarios(const char *names)
{
    const char *p;

    for (p = names; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        size_t n = strcspn(p, ",");
        bool known = strncmp(p, "stopped", n) == 0 && n == strlen("stopped");
        unsigned i;

        for (i = 0; i < scenario_count; i++)
            known = known || (strlen(scenarios[i].name) == n && !strncmp(p, scenarios[i].name, n));
        if (!known) {
            fprintf(stderr, "ach-peers: there is no scenario '%.*s'; see --help\n", (int)n, p);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct option names[] = {{"quick", no_argument, NULL, 'q'},
                                          {"long", no_argument, NULL, 'l'},
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
                                          {"list", no_argument, NULL, 'L'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct options o = {.own = {.name = "own",
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
    int c, which;

#ifdef PEERS_MODULES
    o.modules = PEERS_MODULES;
#endif
    while ((c = getopt_long(argc, argv, "h", names, &which)) != -1) {
        if (own_option(&o, c, names[which].name, optarg))
            continue;
        switch (c) {
        case 'q':
            o.quick = true;
            break;
        case 'l':
            o.long_ = true;
            break;
        case 's':
            o.scenarios = optarg;
            break;
        case 'o':
            o.only = optarg;
            break;
        case 'r':
            o.rounds = (unsigned)number("rounds", optarg, 1, ROUNDS_MAX);
            break;
        case 'j':
            o.json = optarg;
            break;
        case 'm':
            o.modules = optarg;
            break;
        case 'L':
            o.list = true;
            break;
        case 'h':
            usage(stdout);
            return 0;
        default:
            usage(stderr);
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "ach-peers: what is '%s'? See --help\n", argv[optind]);
        return 2;
    }
    check_scenarios(o.scenarios);
    check_own(&o.own.setting);
    if (o.list)
        return list(&o);
    return supervise(all, &o, o.long_ ? LONG_LIMIT_SECONDS : LIMIT_SECONDS);
}
