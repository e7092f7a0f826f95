/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the options that all benchmarks have, and the run */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "ticks.h"

#define PART_LIMIT_SECONDS 1800u /* for processors that are slow, or not ours alone */
#define LONG_LIMIT_SECONDS 86400u
#define OPTIONS_MAX 32u

struct bench bench;

void progress(const char *format, ...)
{
    va_list args;

    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

void refuse_option(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", bench.program->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

/* The item after this one; NULL: it is the last. */
static const char *next_item(const char *item)
{
    const char *comma = strchr(item, ',');

    return comma ? comma + 1 : NULL;
}

static bool is_item(const char *item, const char *name)
{
    return strcspn(item, ",") == strlen(name) && strncmp(item, name, strlen(name)) == 0;
}

bool in_list(const char *list, const char *name)
{
    while (list && !is_item(list, name))
        list = next_item(list);
    return list;
}

void check_list(const char *list, const char *what, const char *(*name)(unsigned), const char *see)
{
    unsigned i;

    for (; list; list = next_item(list)) {
        for (i = 0; name(i) && !is_item(list, name(i)); i++)
            continue;
        if (!name(i))
            refuse_option("there is no %s '%.*s'; see %s", what, (int)strcspn(list, ","), list,
                          see);
    }
}

static const char *group_name(unsigned i)
{
    return i < bench.program->count ? bench.program->groups[i].name : NULL;
}

/* The options that all programs have; the names of scenarios follow the last one in the help. */
static int help;
static struct choice common[] = {
    {"help", NULL, "", .flag = &help},
    {"quick", NULL, "less of everything", .flag = &bench.quick},
    {"rounds", "N", "how many times each contender is measured, 1 to 64", .number = &bench.rounds,
     .least = 1, .most = ROUNDS_MAX},
    {"json", "FILE", "write the results there", .text = &bench.json},
    {"scenario", "S", "only these:", .text = &bench.scenarios},
};

static void print_choice(FILE *f, const struct choice *c)
{
    int n = fprintf(f, "\n  --%s %s", c->name, c->argument ? c->argument : "");

    fprintf(f, "%*s%s", n < 18 ? 18 - n : 1, "", c->help);
}

/* Is it the first group with its name? Those that belong to another one have no name of their own. */
static bool is_new(unsigned i)
{
    unsigned k;

    if (bench.program->groups[i].part)
        return false;
    for (k = 0; k < i; k++)
        if (strcmp(group_name(i), group_name(k)) == 0)
            return false;
    return true;
}

static _Noreturn void usage(FILE *f, int status)
{
    const struct program *p = bench.program;
    unsigned i, n = 0;

    fprintf(f, "usage: %s [OPTION]...\n\n%s", p->name, p->about);
    for (i = 1; i < ARRAY_SIZE(common); i++)
        print_choice(f, &common[i]);
    for (i = 0; i < p->count; i++)
        if (is_new(i))
            fprintf(f, "%s %s", n++ % 8 == 7 ? "\n                " : "", group_name(i));
    for (i = 0; p->choices && p->choices[i].name; i++)
        print_choice(f, &p->choices[i]);
    fputc('\n', f);
    exit(status);
}

static void choose(struct choice *c)
{
    char *end;

    c->given = true;
    if (c->flag)
        *c->flag = 1;
    if (c->text)
        *c->text = optarg;
    if (!c->number)
        return;
    *c->number = strtod(optarg, &end);
    if (end == optarg || *end || !(*c->number >= c->least && *c->number <= c->most))
        refuse_option("--%s takes a number from %.10g to %.10g, not '%s'", c->name, c->least,
                      c->most, optarg);
}

static void parse(int argc, char **argv)
{
    struct choice *all[OPTIONS_MAX], *own = bench.program->choices;
    struct option longs[OPTIONS_MAX] = {{0}};
    unsigned i, n = 0;
    int c, which = 0;

    for (; n < ARRAY_SIZE(common); n++)
        all[n] = &common[n];
    for (; own && own->name; own++)
        all[n++] = own;
    for (i = 0; i < n; i++)
        longs[i] = (struct option){all[i]->name, all[i]->argument != NULL, NULL, 0};
    while ((c = getopt_long(argc, argv, "h", longs, &which)) == 0)
        choose(all[which]);
    if (c != -1 || help)
        usage(c == '?' ? stderr : stdout, c == '?' ? 2 : 0);
    if (optind < argc)
        refuse_option("unexpected argument '%s'; see --help", argv[optind]);
    check_list(bench.scenarios, "scenario", group_name, "--help");
    bench.extent = bench.quick ? "quick" : bench.lasting ? "long" : "full";
}

static bool wanted(const struct group *g)
{
    while (g->part)
        g--;
    if (bench.scenarios)
        return in_list(bench.scenarios, g->name);
    if (g->asked || (bench.lasting && !g->lasting))
        return false;
    return !bench.quick || !bench.program->only_quick || g->quick;
}

static unsigned rounds_of(const struct group *g)
{
    if (g->once || (bench.lasting && bench.rounds <= 0))
        return 1;
    if (bench.rounds > 0)
        return (unsigned)bench.rounds;
    if (bench.quick)
        return bench.program->quick_rounds;
    return g->rounds ? g->rounds : bench.program->rounds;
}

static void measure(const void *group)
{
    const struct group *g = group;
    unsigned round, rounds = rounds_of(g);

    if (!isatty(STDERR_FILENO))
        fprintf(stderr, "%s: %s\n", bench.program->name, g->name);
    for (round = 0; round < rounds && !bench.interrupted; round++) {
        progress("%s, %s: round %u of %u", g->name, g->about, round + 1, rounds);
        g->measure(g, round);
        release_to(0);
    }
    progress("%s", "");
}

static void measure_group(const struct group *g)
{
    const char *why = g->missing ? g->missing() : NULL;

    if (!why && g->two_cpus && bench.machine.cpus < 2)
        why = "one processor";
    if (!why && g->in_process && g->measure)
        measure(g);
    else if (!why && g->measure)
        why = attempt(measure, g, PART_LIMIT_SECONDS);
    if (why)
        output_unmeasured(g, why);
    else if (!bench.interrupted)
        output_group(g);
}

static void interrupt(int sig)
{
    (void)sig;
    bench.interrupted = 1;
}

static void measure_all(void)
{
    const struct program *p = bench.program;
    unsigned i;

    machine_init(&bench.machine);
    machine_pin(bench.machine.main_cpu);
    ticks_init();
    output_machine();
    if (p->end)
        signal(SIGTERM, interrupt);
    if (p->begin)
        p->begin();
    for (i = 0; i < p->count && !bench.interrupted; i++)
        if (wanted(&p->groups[i]))
            measure_group(&p->groups[i]);
    if (p->end)
        p->end();
}

/* The file is opened before anything is measured, which may be in vain otherwise, and keeps what it
   has until there is something to replace it with. */
static int run(void)
{
    FILE *file = bench.json ? fopen(bench.json, "ae") : NULL;
    bool ok = !bench.json || file;

    if (ok)
        measure_all();
    if (ok && !bench.interrupted) {
        output_end();
        ok = !file || output_json(file);
    }
    if (!ok)
        fprintf(stderr, "%s: cannot write %s: %m\n", bench.program->name, bench.json);
    else if (file && !bench.interrupted)
        printf("report: %s\n", bench.json);
    return ok && !bench.interrupted ? 0 : 1;
}

int bench_main(int argc, char **argv, const struct program *program)
{
    if (program->repeat && argc == 3 && strcmp(argv[1], "--repeat") == 0)
        return program->repeat(argv[2]);
    bench.program = program;
    parse(argc, argv);
    if (program->parsed && !program->parsed())
        return 0;
    return supervise(run, bench.lasting ? LONG_LIMIT_SECONDS
                                        : PART_LIMIT_SECONDS * (program->count + 1));
}
