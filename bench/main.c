/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - measure what the channels cost, and say whether it is what they promise */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attempt.h"
#include "brake.h"
#include "peer.h"
#include "report.h"
#include "supervise.h"
#include "ticks.h"

#define DEFAULT_ROUNDS 21u
#define QUICK_ROUNDS 10u
#define QUICK_SCALE 0.25
#define PART_LIMIT_SECONDS 1800u /* for processors that are slow, or not ours alone */
#define LIMIT_SECONDS (PART_LIMIT_SECONDS * (ARRAY_SIZE(groups) + 1))

#ifndef BENCH_REPORT
#define BENCH_REPORT "report.json"
#endif

static const struct group *const groups[] = {
    &operations_group, &blocking_group, &paced_group,   &spinning_group,
    &bulk_group,       &inplace_group,  &readers_group, &kernel_group,
};

struct options {
    unsigned rounds;
    double scale;
    const char *row; /* only this group; NULL: all */
    const char *json;
    const char *repeat;
    bool slow_main, slow_peer, coarse;
};

static void usage(FILE *f)
{
    unsigned i;

    fputs("usage: ach-bench [--quick] [--rounds N] [--row NAME] [--json FILE]\n"
          "\n"
          "Measures the channels and what they are compared with, in turn, and writes a\n"
          "report. The exit status does not tell whether targets were reached.\n"
          "\n"
          "  --quick       less of everything: under 20 seconds\n"
          "  --rounds N    how many times each contender is measured\n"
          "  --row NAME    only this part of the table:",
          f);
    for (i = 0; i < ARRAY_SIZE(groups); i++)
        fprintf(f, "%s %s", i == 4 ? "\n               " : "", groups[i]->name);
    fputs(" instructions\n"
          "  --json FILE   where to write the report, by default " BENCH_REPORT "\n"
          "\n"
          "For tests of the benchmark:\n"
          "  --slow SIDE   stop one side most of the time: main, or peer, the second process\n"
          "  --coarse      time operations in groups, as if the counter were coarse\n",
          f);
}

static bool known_row(const char *name)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(groups); i++)
        if (strcmp(groups[i]->name, name) == 0)
            return true;
    return strcmp(name, "instructions") == 0;
}

static bool wanted(const struct options *o, const char *name)
{
    return !o->row || strcmp(o->row, name) == 0;
}

static unsigned parse_rounds(const char *text)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text == '-' || *end || n == 0 || n > 10000) {
        fprintf(stderr, "ach-bench: --rounds takes a number from 1 to 10000, not '%s'\n", text);
        exit(2);
    }
    return (unsigned)n;
}

static void parse_side(struct options *o, const char *text)
{
    o->slow_main = o->slow_main || strcmp(text, "main") == 0;
    o->slow_peer = o->slow_peer || strcmp(text, "peer") == 0;
    if (strcmp(text, "main") != 0 && strcmp(text, "peer") != 0) {
        fprintf(stderr, "ach-bench: --slow takes main or peer, not '%s'\n", text);
        exit(2);
    }
}

static struct options parse(int argc, char **argv)
{
    static const struct option longs[] = {
        {"quick", no_argument, NULL, 'q'},
        {"rounds", required_argument, NULL, 'n'},
        {"row", required_argument, NULL, 'r'},
        {"json", required_argument, NULL, 'j'},
        {"repeat", required_argument, NULL, 'R'},
        {"slow", required_argument, NULL, 's'},
        {"coarse", no_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    struct options o = {.scale = 1, .json = BENCH_REPORT};
    int c;

    while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1) {
        switch (c) {
        case 'q':
            o.scale = QUICK_SCALE;
            break;
        case 'n':
            o.rounds = parse_rounds(optarg);
            break;
        case 'r':
            o.row = optarg;
            break;
        case 'j':
            o.json = optarg;
            break;
        case 'R':
            o.repeat = optarg;
            break;
        case 's':
            parse_side(&o, optarg);
            break;
        case 'c':
            o.coarse = true;
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind < argc || (o.row && !known_row(o.row))) {
        usage(stderr);
        exit(2);
    }
    if (!o.rounds)
        o.rounds = o.scale < 1 ? QUICK_ROUNDS : DEFAULT_ROUNDS;
    return o;
}

static void show_progress(const struct group *g, unsigned round, unsigned rounds, const char *name)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: round %u of %u: %s", g->name, round + 1, rounds, name);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* What is measured in one attempt. */
struct part {
    const struct options *o;
    const struct group *g;
    struct report *report;
};

static void measure_part(void *arg)
{
    struct part *p = arg;
    unsigned first_row = p->report->rows.count;

    if (p->o->slow_main)
        brake_start();
    measure(p->g, p->o->rounds, p->o->scale, show_progress, &p->report->rows);
    clear_progress();
    report_group(p->report, p->g, first_row);
}

static void count_part(void *arg)
{
    struct part *p = arg;

    p->report->instruction_count = instructions_count(p->report->instructions, &p->report->how);
    report_instructions(p->report);
}

static void run_group(const struct options *o, const struct group *g, struct report *report)
{
    struct part part = {o, g, report};
    const char *why = g->missing ? g->missing() : NULL;

    if (!why && g->needs_two_cpus && report->machine.cpus < 2)
        why = "one processor";
    if (!why)
        why = attempt(measure_part, &part, PART_LIMIT_SECONDS);
    if (why)
        report_unmeasured(report, g->name, why);
}

static int run(void *arg)
{
    const struct options *o = arg;
    struct report report = {.rounds = o->rounds};
    struct part counting = {.o = o, .report = &report};
    const char *why;
    unsigned i;

    machine_init(&report.machine);
    machine_pin(report.machine.main_cpu);
    peer_cpu_set(report.machine.peer_cpu);
    ticks_init();
    if (o->coarse)
        ticks_be_coarse();
    if (o->slow_peer)
        peer_brake();
    report_machine(&report);
    for (i = 0; i < ARRAY_SIZE(groups); i++)
        if (wanted(o, groups[i]->name))
            run_group(o, groups[i], &report);
    if (wanted(o, "instructions") && (why = attempt(count_part, &counting, PART_LIMIT_SECONDS)))
        report_unmeasured(&report, "instructions", why);
    report_summary(&report);
    if (!report_json(&report, o->json)) {
        fprintf(stderr, "ach-bench: cannot write %s: %m\n", o->json);
        return 1;
    }
    printf("report: %s\n", o->json);
    report_finish(&report);
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);

    if (o.repeat)
        return instructions_repeat(o.repeat);
    return supervise(run, &o, LIMIT_SECONDS);
}
