/* SPDX-License-Identifier: BSD-3-Clause */
/* output.c - the results, for a person and for programs */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "ticks.h"

#define CDF_POINTS 60

static const double quantiles[] = {0.5, 0.99, 0.999, 1};
static const char *const quantile_names[] = {"p50", "p99", "p999", "max"};

void output_machine(void)
{
    const struct machine *m = &bench.machine;

    printf("machine   %s, %d CPUs\n", m->cpu, m->cpus);
    printf("kernel    %s, governor %s, load %s\n", m->kernel, m->governor, m->load);
    if (m->peer_cpu >= 0)
        printf("pinned    to CPU %d, the second process to CPU %d\n", m->main_cpu, m->peer_cpu);
    else
        printf("pinned    not: there is one CPU\n");
    ticks_print();
    fflush(stdout);
}

/* A quantile of a row: by its index in quantiles. */
static double row_quantile(struct row *row, unsigned i)
{
    return samples_quantile(i == 0 ? &row->all.ns : &row->all.single, quantiles[i]);
}

static const char *unit_of(const struct group *g)
{
    return g->unit ? g->unit : g->y_label ? g->y_label : "ns";
}

/* Its name, and its x if it has one. */
static const char *label_of(const struct row *row, char *label, size_t size)
{
    if (row->x > 0 || row->group->x_label)
        snprintf(label, size, "%s, %.0f", row->name, row->x);
    else
        snprintf(label, size, "%s", row->name);
    return label;
}

static void print_value(double value, bool in_ns)
{
    if (!in_ns)
        printf(" %11.1f", value);
    else if (value < 10000)
        printf(" %8.1f ns", value);
    else if (value < 1e7)
        printf(" %8.1f us", value / 1e3);
    else
        printf(" %8.1f ms", value / 1e6);
}

static void print_row(struct row *row)
{
    struct outcome *all = &row->all;
    char label[80];
    unsigned i;

    printf("  %-33s %-8s", label_of(row, label, sizeof(label)), row->kind ? row->kind : "");
    if (all->ns.count == 0) {
        printf(" %s\n", all->why);
        return;
    }
    for (i = 0; i < ARRAY_SIZE(quantiles); i++)
        print_value(row_quantile(row, i), strcmp(unit_of(row->group), "ns") == 0);
    if (row_ratio(row, false) > 0)
        printf(" %7.2f", row_ratio(row, false));
    if (all->lost || all->reordered || all->damaged)
        printf("  %llu lost, %llu out of order, %llu damaged of %llu",
               (unsigned long long)all->lost, (unsigned long long)all->reordered,
               (unsigned long long)all->damaged, (unsigned long long)all->sent);
    if (all->why[0])
        printf("  (%s)", all->why);
    putchar('\n');
}

/* By x in a curve, else by p50. Those that were not measured come last. */
static int compare_rows(const void *a, const void *b)
{
    struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    bool curve = x->group->x_label;
    double p = curve ? x->x : x->all.ns.count ? row_quantile(x, 0) : INFINITY;
    double q = curve ? y->x : y->all.ns.count ? row_quantile(y, 0) : INFINITY;

    return (p > q) - (p < q);
}

void output_group(const struct group *g)
{
    struct row **rows = calloc(results.count + 1, sizeof(struct row *));
    unsigned i, n = 0;

    MUST(rows != NULL);
    for (i = 0; i < results.count; i++)
        if (results.row[i]->group == g)
            rows[n++] = results.row[i];
    qsort(rows, n, sizeof(struct row *), compare_rows);
    printf("\n%s: %s%s%s\n", g->name, g->about, g->x_label ? ", by " : "",
           g->x_label ? g->x_label : "");
    printf("  %-33s %-8s %11s %11s %11s %11s %s%s\n", unit_of(g), "", "p50", "p99", "p99.9", "max",
           g->floor ? "      x " : "", g->floor ? g->floor : "");
    for (i = 0; i < n; i++)
        print_row(rows[i]);
    fflush(stdout);
    free(rows);
}

void output_unmeasured(const struct group *g, const char *why)
{
    unsigned i = results.unmeasured_count++;

    MUST(i < NOTES_MAX);
    results.unmeasured[i].name = g->name;
    results.unmeasured[i].why = strdup(why);
    printf("\n%s: could not be measured: %s\n", g->name, why);
    fflush(stdout);
}

static void verdicts(void (*each)(const struct verdict *v, void *arg), void *arg)
{
    const struct claim *c = bench.program->claims;
    struct verdict v;
    unsigned i;

    if (bench.program->in_pairs && bench.machine.cpus < 2)
        return;
    for (; c && c->group; c++)
        for (i = 0; i < results.count; i++)
            if (claim_judge(c, results.row[i], &v))
                each(&v, arg);
}

static void target_text(const struct claim *c, char *text, size_t size)
{
    static const char *const format[] = {
        [SHOWN] = "",
        [AT_MOST] = "ratio <= %g",
        [P99_AT_MOST] = "p99 ratio <= %g",
        [AT_LEAST] = "ratio >= %g",
        [WITHIN] = "ratio within %g",
        [EXTRA] = "<= %g more",
        [P50_BELOW] = "p50 <= %g",
        [P99_BELOW] = "p99 <= %g",
    };

    snprintf(text, size, format[c->how], c->limit);
}

static void print_verdict(const struct verdict *v, void *counts)
{
    const char *words = v->claim->how == SHOWN ? "" : v->reached ? "reached" : "MISSED";
    char target[40], label[80], what[160];
    unsigned *count = counts;

    target_text(v->claim, target, sizeof(target));
    snprintf(what, sizeof(what), "%s, %s", v->row->group->name,
             label_of(v->row, label, sizeof(label)));
    printf("  %-7s %-52s %8.2f  %-16s %s\n", words, what, v->value, target,
           v->against ? label_of(v->against, label, sizeof(label)) : "");
    count[0] += words[0] && v->reached;
    count[1] += words[0] != '\0';
}

void output_end(void)
{
    unsigned i, count[2] = {0};

    puts("\ntargets");
    if (bench.program->in_pairs && bench.machine.cpus < 2)
        note("Targets are left out: they need two processors.");
    verdicts(print_verdict, count);
    printf("%u of %u targets reached", count[0], count[1]);
    for (i = 0; i < results.unmeasured_count; i++)
        printf("%s %s", i ? "," : "; not measured:", results.unmeasured[i].name);
    puts("\n");
    for (i = 0; i < results.notes; i++)
        puts(results.note[i]);
    fflush(stdout);
}

/* Three quarters of the points lie below 0.99, the others between 0.99 and 1. */
static void write_cdf(struct json *j, struct samples *s)
{
    int i;

    json_array(j, "cdf");
    for (i = 0; i <= CDF_POINTS; i++) {
        double x = (double)i / CDF_POINTS,
               q = x < 0.75 ? x / 0.75 * 0.99 : 0.99 + (x - 0.75) * 0.04;

        json_array(j, NULL);
        json_number(j, NULL, round(samples_quantile(s, q)));
        json_number(j, NULL, q);
        json_end_array(j);
    }
    json_end_array(j);
}

static void write_row(struct json *j, struct row *row)
{
    const struct group *g = row->group;
    bool in_ns = strcmp(unit_of(g), "ns") == 0;
    struct outcome *all = &row->all;
    char key[16];
    unsigned i;

    json_object(j, NULL);
    json_string(j, "scenario", g->name);
    json_string(j, "contender", row->name);
    if (row->kind)
        json_string(j, "kind", row->kind);
    json_number(j, "x", row->x);
    if (bench.program->write_row)
        bench.program->write_row(j, g);
    json_uint(j, "n", all->ns.count);
    json_uint(j, "lost", all->lost);
    json_uint(j, "reordered", all->reordered);
    json_uint(j, "damaged", all->damaged);
    if (!in_ns)
        json_string(j, "unit", unit_of(g));
    for (i = 0; i < ARRAY_SIZE(quantiles); i++) {
        snprintf(key, sizeof(key), "%s%s", quantile_names[i], in_ns ? "_ns" : "");
        json_number(j, key, row_quantile(row, i));
    }
    json_number(j, "ratio", row_ratio(row, false));
    json_number(j, "ratio_p99", row_ratio(row, true));
    if (!g->x_label)
        write_cdf(j, &all->single);
    json_end_object(j);
}

static void write_curve(struct json *j, const struct group *g)
{
    json_object(j, NULL);
    json_string(j, "name", g->name);
    json_string(j, "title", g->about);
    json_string(j, "x_label", g->x_label);
    json_bool(j, "x_log", g->x_log);
    json_string(j, "y_label", g->y_label);
    json_bool(j, "y_log", g->y_log);
    json_end_object(j);
}

static void write_verdict(const struct verdict *v, void *json)
{
    struct json *j = json;
    char target[40];

    target_text(v->claim, target, sizeof(target));
    json_object(j, NULL);
    json_string(j, "group", v->row->group->name);
    json_string(j, "name", v->row->name);
    json_string(j, "floor", v->against ? v->against->name : "");
    json_number(j, "x", v->row->x);
    json_number(j, "p50", row_quantile(v->row, 0));
    json_number(j, "p99", row_quantile(v->row, 1));
    json_number(j, "ratio", v->value);
    json_string(j, "target", target);
    if (v->claim->how != SHOWN)
        json_bool(j, "reached", v->reached);
    json_end_object(j);
}

static void write_lists(struct json *j)
{
    unsigned i;

    json_array(j, "rows");
    for (i = 0; i < results.count; i++)
        if (results.row[i]->all.ns.count)
            write_row(j, results.row[i]);
    json_end_array(j);
    json_array(j, "curves");
    for (i = 0; i < bench.program->count; i++)
        if (bench.program->groups[i].x_label)
            write_curve(j, &bench.program->groups[i]);
    json_end_array(j);
    json_array(j, "claims");
    verdicts(write_verdict, j);
    json_end_array(j);
    json_object(j, "unmeasured");
    for (i = 0; i < results.unmeasured_count; i++)
        json_string(j, results.unmeasured[i].name, results.unmeasured[i].why);
    json_end_object(j);
    json_array(j, "notes");
    for (i = 0; i < results.notes; i++)
        json_string(j, NULL, results.note[i]);
    json_end_array(j);
}

bool output_json(FILE *f)
{
    const struct machine *m = &bench.machine;
    struct json j = JSON_INIT(f);

    if (ftruncate(fileno(f), 0) != 0)
        rewind(f); /* a device or a pipe, which has nothing to remove */
    json_object(&j, NULL);
    json_string(&j, "machine", m->cpu);
    json_string(&j, "kernel", m->kernel);
    json_string(&j, "governor", m->governor);
    json_string(&j, "load", m->load);
    json_uint(&j, "cpus", (uint64_t)m->cpus);
    json_string(&j, "extent", bench.extent);
    json_string(&j, "version", ACH_VERSION);
    write_lists(&j);
    if (bench.program->write)
        bench.program->write(&j);
    json_end_object(&j);
    json_line(&j);
    return !ferror(f) && fclose(f) == 0;
}
