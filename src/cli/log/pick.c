/* SPDX-License-Identifier: BSD-3-Clause */
#include "pick.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../stop.h"

#define SECONDS_MAX 1e9

bool rec_pick_init(struct rec_pick *p, int argc)
{
    *p = (struct rec_pick){.end = INFINITY};
    p->patterns = calloc((size_t)argc + 1, sizeof(*p->patterns));
    if (!p->patterns)
        complain("no memory");
    return p->patterns != NULL;
}

static bool pick_seconds(const char *what, double *seconds)
{
    char *end;
    double value = strtod(optarg, &end);

    if (end == optarg || *end || !(value >= 0 && value <= SECONDS_MAX))
        return bad_value(what, optarg, "seconds from 0 on");
    *seconds = value;
    return true;
}

bool rec_pick_option(struct rec_pick *p, int c)
{
    switch (c) {
    case 't':
        p->patterns[p->n++] = optarg;
        return true;
    case 's':
        return pick_seconds("the start", &p->start);
    case 'e':
        return pick_seconds("the end", &p->end);
    default:
        usage_hint();
        return false;
    }
}

bool rec_pick_agrees(const struct rec_pick *p)
{
    if (p->end >= p->start)
        return true;
    usage("--end is before --start");
    return false;
}

bool rec_pick_open(struct rec_pick *p, char *const *paths, size_t n)
{
    stop_on_signals(NULL);
    p->source = logs_open((const char *const *)paths, n, complain);
    if (!p->source)
        return false;
    p->known = logs_topics_complete(p->source);
    if (p->known && !logs_patterns_fit(p->source, p->patterns, p->n, complain))
        return false;
    rec_progress_begin(&p->progress, p->source);
    return true;
}

bool rec_pick_wants(const struct rec_pick *p, const struct logs_topic *t)
{
    return logs_matches(t, p->patterns, p->n);
}

static int64_t pick_after(int64_t base, double seconds)
{
    double ns = seconds * 1e9;

    return ns < (double)(INT64_MAX / 2) && base < INT64_MAX / 2 ? base + (int64_t)llround(ns)
                                                                : INT64_MAX;
}

/* The first message with a time is time 0. Chunks before the start need not be read. */
static bool pick_begin(struct rec_pick *p, const struct logs_message *m)
{
    p->based = true;
    p->base = m->order;
    return p->start <= 0 || !logs_indexed(p->source) ||
           !logs_seek(p->source, pick_after(p->base, p->start));
}

/* False: there is none. Then all topics are known. */
static bool pick_read(struct rec_pick *p, struct logs_message *m)
{
    p->ended = !logs_next(p->source, m);
    return !p->ended;
}

bool rec_pick_next(struct rec_pick *p, struct logs_message *m)
{
    while (!stopped() && pick_read(p, m)) {
        rec_progress_show(&p->progress, m);
        if (!m->untimed && !p->based && !pick_begin(p, m))
            continue;
        if (m->untimed ? p->start > 0 : m->order < pick_after(p->base, p->start))
            continue;
        if (!m->untimed && p->end < SECONDS_MAX && m->order > pick_after(p->base, p->end))
            return false;
        if (rec_pick_wants(p, m->topic))
            return true;
    }
    return false;
}

bool rec_pick_rewind(struct rec_pick *p)
{
    p->based = false;
    return logs_seek(p->source, INT64_MIN);
}

bool rec_pick_done(struct rec_pick *p)
{
    rec_progress_end(&p->progress);
    if (stopped())
        complain("interrupted");
    if (p->ended && !p->known && !logs_patterns_fit(p->source, p->patterns, p->n, complain))
        return false;
    return !stopped() && !logs_failed(p->source);
}

void rec_pick_finish(struct rec_pick *p)
{
    rec_progress_end(&p->progress);
    logs_close(p->source);
    free(p->patterns);
}

void rec_complain_two(const struct logs_topic *a, const struct logs_topic *b, const char *why,
                      const char *advice)
{
    const bool same = strcmp(a->name, b->name) == 0;
    char *first = same ? logs_typed_name(a) : NULL, *second = same ? logs_typed_name(b) : NULL;

    complain("%s, and there are '%s' and '%s': %s", why, first ? first : a->name,
             second ? second : b->name, advice);
    free(first);
    free(second);
}
