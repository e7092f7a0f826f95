/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

const char *const output_kinds[] = {"ach", "floor", "kernel", "library"};

static unsigned lines_of(const char *path)
{
    FILE *f = fopen(path, "r");
    bool comment = false;
    char line[512];
    unsigned n = 0;

    while (f && fgets(line, sizeof(line), f)) {
        const char *p = line;

        while (isspace((unsigned char)*p))
            p++;
        if (strncmp(p, "/*", 2) == 0)
            comment = true;
        if (*p && !comment && strncmp(p, "//", 2) != 0)
            n++;
        if (comment && strstr(p, "*/"))
            comment = false;
    }
    if (f)
        fclose(f);
    return n;
}

unsigned source_lines(const char *files)
{
    static const char folder[] = "bench/peers/";
    char list[PATH_MAX], *file, *rest = list;
    unsigned n = 0;

    snprintf(list, sizeof(list), "%s", files ? files : "");
    while ((file = strsep(&rest, " "))) {
        const char *name = strstr(file, folder) ? strstr(file, folder) + strlen(folder) : file;
        char path[PATH_MAX + sizeof(PEERS_SOURCE)];

        snprintf(path, sizeof(path), PEERS_SOURCE "/%s", name);
        n += *name ? lines_of(path) : 0;
    }
    return n;
}

static void print_ns(double ns)
{
    if (ns < 10000)
        printf(" %8.0f ns", ns);
    else if (ns < 1e7)
        printf(" %8.1f us", ns / 1e3);
    else
        printf(" %8.1f ms", ns / 1e6);
}

static int by_p50(const void *a, const void *b)
{
    struct row *const *x = a, *const *y = b;
    double p = samples_quantile(&(*x)->all.ns, 0.5), q = samples_quantile(&(*y)->all.ns, 0.5);

    if (!(*x)->all.ns.count != !(*y)->all.ns.count)
        return (*x)->all.ns.count ? -1 : 1;
    return (p > q) - (p < q);
}

static void print_row(struct row *row)
{
    struct samples *s = &row->all.ns;

    printf("  %-18s %-8s", row->c->name, output_kinds[row->c->kind]);
    if (s->count == 0) {
        printf(" %s\n", row->impossible ? row->impossible : row->all.why);
        return;
    }
    print_ns(samples_quantile(s, 0.5));
    print_ns(samples_quantile(s, 0.99));
    print_ns(samples_quantile(s, 0.999));
    print_ns(samples_quantile(s, 1));
    if (row->ratio > 0)
        printf(" %7.2f", row->ratio);
    else
        printf(" %7s", "");
    if (row->all.lost || row->all.reordered || row->all.damaged)
        printf("  %llu lost, %llu out of order, %llu damaged of %llu",
               (unsigned long long)row->all.lost, (unsigned long long)row->all.reordered,
               (unsigned long long)row->all.damaged, (unsigned long long)row->all.sent);
    if (row->all.why[0])
        printf("  (%s)", row->all.why);
    putchar('\n');
}

void output_scenario(const struct results *r, unsigned first_row, const struct scenario *s)
{
    unsigned i, n = r->rows.count - first_row;
    struct row **sorted = calloc(n ? n : 1, sizeof(*sorted));

    if (!sorted)
        return;
    for (i = 0; i < n; i++)
        sorted[i] = &r->rows.row[first_row + i];
    qsort(sorted, n, sizeof(*sorted), by_p50);
    printf("\n%s: %s, %zu B\n", s->name, s->about, s->setting.size);
    printf("  %-18s %-8s %11s %11s %11s %11s %7s\n", "", "", "p50", "p99", "p99.9", "max",
           s->setting.mode == MODE_SPIN ? "x line" : "x futex");
    for (i = 0; i < n; i++)
        print_row(sorted[i]);
    free(sorted);
    fflush(stdout);
}

void output_contenders(const struct results *r)
{
    unsigned i;

    puts("\ncontenders");
    for (i = 0; i < r->entry_count; i++) {
        const struct entry *e = &r->entries[i];

        printf("  %-18s %-8s %5u lines  %s\n", e->c->name, output_kinds[e->c->kind],
               source_lines(e->c->source),
               strcmp(e->status, "ok") == 0 ? e->c->settings : e->status);
    }
    fflush(stdout);
}

void output_stopped(const struct results *r)
{
    unsigned i;

    puts("\nstopped: the receiver is stopped for a second; 1 KiB, 10 kHz");
    printf("  %-18s %-8s %-14s %12s %-9s %14s %14s\n", "", "", "sender", "longest send", "first is",
           "its age", "newest after");
    for (i = 0; i < r->entry_count; i++) {
        const struct entry *e = &r->entries[i];
        const struct stopped *s = &e->stopped;

        if (!e->was_stopped)
            continue;
        printf("  %-18s %-8s", e->c->name, output_kinds[e->c->kind]);
        if (!s->first) {
            printf(" %s\n", s->why);
            continue;
        }
        printf(" %-14s %9.1f ms %-9s %11.1f ms", s->blocks ? "stands still" : "goes on",
               s->longest_send_ms, s->first, s->first_age_ms);
        if (s->newest_after_ms < 0)
            printf(" %14s", "never");
        else
            printf(" %11.1f ms", s->newest_after_ms);
        printf("%s%.0llu%s\n", s->lost ? "  " : "", s->lost, s->lost ? " lost" : "");
    }
    fflush(stdout);
}
