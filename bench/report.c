/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "peer.h"
#include "ticks.h"

void report_finish(struct report *r)
{
    unsigned i;

    for (i = 0; i < r->unmeasured_count; i++)
        free(r->unmeasured[i].why);
    free(r->rows.row);
}

static void target_text(const struct row *row, char *text, size_t size)
{
    static const char *const format[] = {
        [CLAIM_NOTHING] = "",
        [CLAIM_AT_MOST] = "ratio <= %g",
        [CLAIM_P99_AT_MOST] = "p99 ratio <= %g",
        [CLAIM_AT_LEAST] = "ratio >= %g",
        [CLAIM_WITHIN] = "ratio within %g",
        [CLAIM_EXTRA_NS] = "<= floor + %g ns",
    };

    if (row->kind == CLAIM_NOTHING)
        *text = '\0';
    else
        snprintf(text, size, format[row->kind], row->limit);
}

static const char *verdict(const struct row *row)
{
    if (row->kind == CLAIM_NOTHING)
        return "";
    return row->reached ? "reached" : "missed";
}

void report_machine(const struct report *r)
{
    const struct machine *m = &r->machine;

    printf("machine   %s, %d CPUs\n", m->cpu, m->cpus);
    printf("kernel    %s, governor %s, load %s\n", m->kernel, m->governor, m->load);
    if (m->peer_cpu >= 0)
        printf("pinned    to CPU %d, the second process to CPU %d\n", m->main_cpu, m->peer_cpu);
    else
        printf("pinned    not: there is one CPU\n");
    printf("counter   %.2f ns per tick, reading costs %.1f ns (subtracted), %u operations timed "
           "together for p99\n",
           ticks_resolution_ns(), ticks_overhead_ns(), ticks_group());
    printf("rounds    %u, contenders in turn; ratios are medians over the rounds\n", r->rounds);
    fflush(stdout);
}

void report_group(const struct report *r, const struct group *g, unsigned first_row)
{
    unsigned i;

    printf("\n%s: %s\n", g->name, g->about);
    printf("  %-33s %9s %9s %10s %7s %7s  %-30s %-17s\n", "", "p50 ns", "p99 ns", "max ns", "ratio",
           "p99", "to", "target");
    for (i = first_row; i < r->rows.count; i++) {
        const struct row *row = &r->rows.row[i];
        char target[64];

        target_text(row, target, sizeof(target));
        printf("  %-33s %9.1f %9.1f %10.0f %7.2f %7.2f  %-30s %-17s %s\n", row->name, row->p50,
               row->p99, row->max, row->ratio, row->ratio_p99, row->floor, target, verdict(row));
    }
    fflush(stdout);
}

void report_unmeasured(struct report *r, const char *name, const char *why)
{
    struct unmeasured *u = &r->unmeasured[r->unmeasured_count++];

    MUST(r->unmeasured_count <= UNMEASURED_MAX);
    *u = (struct unmeasured){name, strdup(why)};
    MUST(u->why != NULL);
    printf("\n%s: could not be measured: %s\n", name, why);
    fflush(stdout);
}

void report_instructions(const struct report *r)
{
    unsigned i;

    if (!r->how)
        return;
    printf("\ninstructions: %s\n", r->how);
    for (i = 0; i < r->instruction_count; i++)
        printf("  %-33s %9.1f\n", r->instructions[i].name, r->instructions[i].count);
}

void report_summary(const struct report *r)
{
    unsigned i, claims = 0, reached = 0;

    for (i = 0; i < r->rows.count; i++) {
        claims += r->rows.row[i].kind != CLAIM_NOTHING;
        reached += r->rows.row[i].kind != CLAIM_NOTHING && r->rows.row[i].reached;
    }
    printf("\n%u of %u targets reached", reached, claims);
    for (i = 0; i < r->unmeasured_count; i++)
        printf("%s %s", i ? "," : "; not measured:", r->unmeasured[i].name);
    putchar('\n');
}

static void json_machine(FILE *f, const struct report *r)
{
    const struct machine *m = &r->machine;

    fputs("  \"machine\": {", f);
    json_member(f, "cpu", m->cpu);
    json_member(f, "kernel", m->kernel);
    json_member(f, "governor", m->governor);
    json_member(f, "load", m->load);
    fprintf(f, "\"cpus\": %d, \"main_cpu\": %d, \"peer_cpu\": %d, ", m->cpus, m->main_cpu,
            m->peer_cpu);
    fprintf(f, "\"tick_ns\": %.4f, \"tick_overhead_ns\": %.2f},\n", ticks_resolution_ns(),
            ticks_overhead_ns());
}

static void json_row(FILE *f, const struct row *row)
{
    char target[64];

    fputs("    {", f);
    json_member(f, "group", row->group);
    json_member(f, "name", row->name);
    json_member(f, "floor", row->floor);
    fprintf(f, "\"p50\": %.2f, \"p99\": %.2f, \"max\": %.2f, ", row->p50, row->p99, row->max);
    fprintf(f, "\"ratio\": %.4f, \"ratio_p99\": %.4f, \"extra_ns\": %.2f, ", row->ratio,
            row->ratio_p99, row->extra_ns);
    if (row->kind == CLAIM_NOTHING) {
        fputs("\"target\": null, \"reached\": null}", f);
        return;
    }
    target_text(row, target, sizeof(target));
    json_member(f, "target", target);
    fprintf(f, "\"reached\": %s}", row->reached ? "true" : "false");
}

static void json_instructions(FILE *f, const struct report *r)
{
    unsigned i;

    fputs("  \"instructions\": {", f);
    for (i = 0; i < r->instruction_count; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, r->instructions[i].name);
        fprintf(f, ": %.1f", r->instructions[i].count);
    }
    fputs("}\n", f);
}

static void json_unmeasured(FILE *f, const struct report *r)
{
    unsigned i;

    fputs("  \"unmeasured\": {", f);
    for (i = 0; i < r->unmeasured_count; i++) {
        fputs(i ? ", " : "", f);
        json_string(f, r->unmeasured[i].name);
        fputs(": ", f);
        json_string(f, r->unmeasured[i].why);
    }
    fputs("},\n", f);
}

static void json_write(FILE *f, const struct report *r)
{
    unsigned i;

    fprintf(f, "{\n  \"unit\": \"ns\",\n  \"rounds\": %u,\n", r->rounds);
    json_machine(f, r);
    fputs("  \"rows\": [\n", f);
    for (i = 0; i < r->rows.count; i++) {
        json_row(f, &r->rows.row[i]);
        fputs(i + 1 < r->rows.count ? ",\n" : "\n", f);
    }
    fputs("  ],\n", f);
    json_unmeasured(f, r);
    json_instructions(f, r);
    fputs("}\n", f);
}

bool report_json(const struct report *r, const char *path)
{
    FILE *f = fopen(path, "w");
    bool ok;

    if (!f)
        return false;
    json_write(f, r);
    ok = !ferror(f);
    return fclose(f) == 0 && ok;
}
