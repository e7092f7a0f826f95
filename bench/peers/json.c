/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "../json_text.h"
#include "output.h"

#define CDF_POINTS 60

static const char *mode_name(enum mode mode)
{
    return mode == MODE_BLOCK ? "block" : mode == MODE_SPIN ? "spin" : "poll";
}

/* Every two hundredth in the middle, then closer and closer to 1. */
static void cdf(FILE *f, struct samples *s)
{
    int i;

    fputs("\"cdf\": [", f);
    for (i = 0; i <= CDF_POINTS; i++) {
        double x = (double)i / CDF_POINTS,
               q = x < 0.75 ? x / 0.75 * 0.99 : 0.99 + (x - 0.75) * 0.04;

        fprintf(f, "%s[%.0f, %.5f]", i ? ", " : "", samples_quantile(s, q), q);
    }
    fputs("]", f);
}

static void row(FILE *f, struct row *r)
{
    const struct setting *s = &r->scenario->setting;
    struct samples *ns = &r->all.ns;

    fputs("    {", f);
    json_member(f, "scenario", r->scenario->name);
    json_member(f, "contender", r->c->name);
    json_member(f, "kind", output_kinds[r->c->kind]);
    json_member(f, "mode", mode_name(s->mode));
    json_member(f, "sched", s->fifo ? "fifo" : "other");
    fprintf(f,
            "\"size\": %zu, \"rate_hz\": %.0f, \"senders\": %u, \"receivers\": %u, \"hops\": %u, "
            "\"touched\": %s, \"n\": %zu, \"lost\": %llu, \"reordered\": %llu, \"damaged\": %llu, "
            "\"p50_ns\": %.0f, \"p99_ns\": %.0f, \"p999_ns\": %.0f, \"max_ns\": %.0f, "
            "\"ratio\": %.3f, \"ratio_p99\": %.3f, ",
            s->size, s->rate_hz, s->senders, s->receivers, s->hops, s->touch ? "true" : "false",
            ns->count, (unsigned long long)r->all.lost, (unsigned long long)r->all.reordered,
            (unsigned long long)r->all.damaged, samples_quantile(ns, 0.5),
            samples_quantile(ns, 0.99), samples_quantile(ns, 0.999), samples_quantile(ns, 1),
            r->ratio, r->ratio_p99);
    cdf(f, ns);
    fputs("}", f);
}

static void rows(FILE *f, const struct results *r)
{
    bool more = false;
    unsigned i;

    fputs("  \"rows\": [\n", f);
    for (i = 0; i < r->rows.count; i++) {
        if (r->rows.row[i].all.ns.count == 0)
            continue;
        fputs(more ? ",\n" : "", f);
        row(f, &r->rows.row[i]);
        more = true;
    }
    fputs("\n  ],\n", f);
}

static void floors(FILE *f, const struct results *r)
{
    bool more = false;
    unsigned i;

    fputs("  \"floors\": {", f);
    for (i = 0; i < r->rows.count; i++) {
        struct row *row_ = &r->rows.row[i];
        const struct setting *s = &row_->scenario->setting;

        if (row_->c->kind != KIND_FLOOR || row_->all.ns.count == 0)
            continue;
        fprintf(f, "%s\n    \"%s, %s, %zu B, receivers: %u, hops: %u\": %.0f", more ? "," : "",
                row_->c->name, row_->scenario->name, s->size, s->receivers, s->hops,
                samples_quantile(&row_->all.ns, 0.5));
        more = true;
    }
    fputs("\n  },\n", f);
}

static void contenders(FILE *f, const struct results *r)
{
    unsigned i;

    fputs("  \"contenders\": [\n", f);
    for (i = 0; i < r->entry_count; i++) {
        const struct entry *e = &r->entries[i];

        fputs(i ? ",\n    {" : "    {", f);
        json_member(f, "name", e->c->name);
        json_member(f, "kind", output_kinds[e->c->kind]);
        json_member(f, "package", e->c->package);
        json_member(f, "settings", e->c->settings);
        fprintf(f, "\"lines\": %u, \"status\": ", source_lines(e->c->source));
        json_string(f, e->status);
        fputs("}", f);
    }
    fputs("\n  ],\n", f);
}

static void stopped(FILE *f, const struct results *r)
{
    bool more = false;
    unsigned i;

    fputs("  \"stopped\": [", f);
    for (i = 0; i < r->entry_count; i++) {
        const struct entry *e = &r->entries[i];
        const struct stopped *s = &e->stopped;

        if (!e->was_stopped || !s->first)
            continue;
        fputs(more ? ",\n    {" : "\n    {", f);
        json_member(f, "contender", e->c->name);
        json_member(f, "first", s->first);
        fprintf(f,
                "\"blocks\": %s, \"longest_send_ms\": %.2f, \"first_age_ms\": %.2f, "
                "\"newest_after_ms\": %.2f, \"lost\": %llu}",
                s->blocks ? "true" : "false", s->longest_send_ms, s->first_age_ms,
                s->newest_after_ms, s->lost);
        more = true;
    }
    fputs("\n  ]\n", f);
}

bool output_json(const struct results *r, struct whole_file *w)
{
    FILE *f = w->f;

    fputs("{\n  ", f);
    json_member(f, "machine", r->machine.cpu);
    json_member(f, "kernel", r->machine.kernel);
    json_member(f, "load", r->machine.load);
    json_member(f, "extent", r->extent);
    json_member(f, "version", ACH_VERSION);
    fprintf(f, "\"cpus\": %d,\n", r->machine.cpus);
    floors(f, r);
    contenders(f, r);
    rows(f, r);
    stopped(f, r);
    fputs("}\n", f);
    return whole_file_close(w);
}
