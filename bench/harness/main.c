/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the options that all benchmarks have, and the run */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "ticks.h"

#define QUICK_SCALE 0.25
#define PART_LIMIT_SECONDS 1800u /* for processors that are slow, or not ours alone */
#define LONG_LIMIT_SECONDS 86400u
#define OPTIONS_MAX 32u

struct bench bench = {.scale = 1};

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

bool in_list(const char *list, const char *name)
{
    size_t n = strlen(name);
    const char *p;

    for (p = list; p && *p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0'))
            return true;
    return false;
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
            fprintf(stderr, "%s: there is no %s '%.*s'; see %s\n", bench.program->name, what,
                    (int)n, p, see);
            exit(2);
        }
    }
}

double number(const char *option, const char *text, double least, double most)
{
    char *end;
    double x = strtod(text, &end);

    if (end == text || *end || !(x >= least && x <= most)) {
        fprintf(stderr, "%s: --%s takes a number from %.10g to %.10g, not '%s'\n",
                bench.program->name, option, least, most, text);
        exit(2);
    }
    return x;
}

static const char *group_name(unsigned i)
{
    return i < bench.program->count ? bench.program->groups[i].name : NULL;
}

static void usage(FILE *f, int status)
{
    const struct program *p = bench.program;
    unsigned i, n = 0;

    fputs(p->usage, f);
    for (i = 0; i < p->count; i++)
        if (i == 0 || strcmp(group_name(i), group_name(i - 1)) != 0)
            fprintf(f, "%s %s", n++ % 8 == 7 ? "\n               " : "", group_name(i));
    fputs(p->usage_end, f);
    exit(status);
}

static void parse_side(const char *text)
{
    bench.slow_main = bench.slow_main || strcmp(text, "main") == 0;
    bench.slow_peer = bench.slow_peer || strcmp(text, "peer") == 0;
    if (strcmp(text, "main") != 0 && strcmp(text, "peer") != 0) {
        fprintf(stderr, "%s: --slow takes main or peer, not '%s'\n", bench.program->name, text);
        exit(2);
    }
}

static void parse_option(int c, const char *name)
{
    switch (c) {
    case 0: /* a flag */
        break;
    case 'n':
        bench.rounds = (unsigned)number("rounds", optarg, 1, ROUNDS_MAX);
        break;
    case 's':
        bench.scenarios = optarg;
        break;
    case 'j':
        bench.json = optarg;
        break;
    case 'S':
        parse_side(optarg);
        break;
    case 'h':
        usage(stdout, 0);
        break;
    case '?':
        usage(stderr, 2);
        break;
    default:
        bench.program->option(c, name, optarg);
    }
}

static void parse(int argc, char **argv)
{
    struct option all[OPTIONS_MAX] = {
        {"quick", no_argument, &bench.quick, 1},  {"coarse", no_argument, &bench.coarse, 1},
        {"rounds", required_argument, NULL, 'n'}, {"scenario", required_argument, NULL, 's'},
        {"json", required_argument, NULL, 'j'},   {"slow", required_argument, NULL, 'S'},
        {"help", no_argument, NULL, 'h'}};
    const struct option *more = bench.program->options;
    unsigned n = 7;
    int c, which = 0;

    for (; more && more->name; more++)
        all[n++] = *more;
    while ((c = getopt_long(argc, argv, "h", all, &which)) != -1)
        parse_option(c, all[which].name);
    if (optind < argc) {
        fprintf(stderr, "%s: what is '%s'? See --help\n", bench.program->name, argv[optind]);
        exit(2);
    }
    check_list(bench.scenarios, "scenario", group_name, "--help");
    bench.scale = bench.quick ? QUICK_SCALE : 1;
    bench.extent = bench.quick ? "quick" : bench.lasting ? "long" : "full";
}

static bool wanted(const struct group *g)
{
    if (bench.scenarios)
        return in_list(bench.scenarios, g->name);
    if (g->asked || (bench.lasting && !g->lasting))
        return false;
    return !bench.quick || !bench.program->only_quick || g->quick;
}

static void measure(const void *group)
{
    const struct group *g = group;

    if (bench.slow_main && !g->in_process)
        brake_start();
    if (!isatty(STDERR_FILENO))
        fprintf(stderr, "%s: %s\n", bench.program->name, g->name);
    g->measure(g);
    progress("%s", "");
}

static void measure_group(const struct group *g)
{
    const char *why = g->missing ? g->missing() : NULL;

    if (!why && g->two_cpus && bench.machine.cpus < 2)
        why = "one processor";
    if (!why && g->in_process)
        measure(g);
    else if (!why)
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

static int run(void)
{
    int home = open(".", O_PATH | O_CLOEXEC);
    struct whole_file file;

    /* Before anything is measured: it may be in vain. */
    if (bench.json && !whole_file_open(&file, bench.json)) {
        fprintf(stderr, "%s: cannot write %s: %m\n", bench.program->name, bench.json);
        return 1;
    }
    measure_all();
    MUST_SYS(fchdir(home) == 0); /* the path may be relative */
    if (bench.interrupted) {
        if (bench.json)
            whole_file_drop(&file);
        return 1;
    }
    output_end();
    if (bench.json && !output_json(&file)) {
        fprintf(stderr, "%s: cannot write %s: %m\n", bench.program->name, bench.json);
        return 1;
    }
    if (bench.json)
        printf("report: %s\n", bench.json);
    return 0;
}

int bench_main(int argc, char **argv, const struct program *program)
{
    bench.program = program;
    parse(argc, argv);
    if (program->parsed && !program->parsed())
        return 0;
    return supervise(run, bench.lasting ? LONG_LIMIT_SECONDS
                                        : PART_LIMIT_SECONDS * (program->count + 1));
}
