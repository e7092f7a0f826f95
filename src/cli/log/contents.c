/* SPDX-License-Identifier: BSD-3-Clause */
#include "contents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../logs/keys.h"
#include "parse.h"

#define NS_PER_S 1000000000ll
#define RATE_SPAN_LEAST 0.001 /* s; the rate of a shorter recording says nothing */

static struct rec_topic *contents_topic(struct rec_contents *c, struct logs_topic *topic)
{
    struct rec_topic **list, *t = topic->user;

    if (t)
        return t;
    list = realloc(c->topics, (c->n + 1) * sizeof(struct rec_topic *));
    if (list)
        c->topics = list;
    t = list ? calloc(1, sizeof(*t)) : NULL;
    if (!t) {
        complain("no memory");
        return NULL;
    }
    t->topic = topic;
    c->topics[c->n++] = t;
    topic->user = t;
    return t;
}

static void contents_time(int64_t *first, int64_t *last, uint64_t before, int64_t time)
{
    if (!before || time < *first)
        *first = time;
    if (!before || time > *last)
        *last = time;
}

static void contents_add(struct rec_contents *c, struct rec_topic *t, const struct logs_message *m)
{
    if (!m->untimed) {
        contents_time(&t->first, &t->last, t->timed, m->time);
        contents_time(&c->first, &c->last, c->messages - c->untimed, m->time);
        t->timed++;
    }
    if (!t->messages || m->size < t->smallest)
        t->smallest = m->size;
    if (m->size > t->largest)
        t->largest = m->size;
    t->messages++;
    t->bytes += m->size;
    t->missed += m->missed;
    c->messages++;
    c->untimed += m->untimed;
}

static bool contents_all(struct rec_contents *c, struct rec_pick *p)
{
    struct logs_message m;

    while (rec_pick_next(p, &m)) {
        struct rec_topic *t = contents_topic(c, m.topic);

        if (!t)
            return false;
        contents_add(c, t, &m);
    }
    return rec_pick_done(p);
}

static bool contents_summary(struct rec_contents *c)
{
    struct mcap_reader *r = logs_mcap(c->source, 0);
    struct mcap_statistics s;
    size_t i;

    if (!r || !mcap_reader_statistics(r, &s)) {
        complain("'%s' has no summary: leave out --quick", c->path);
        return false;
    }
    c->quick = true;
    c->messages = s.messages;
    c->first = (int64_t)s.first;
    c->last = (int64_t)s.last;
    for (i = 0; i < c->n; i++)
        c->topics[i]->messages = mcap_reader_count(r, c->topics[i]->topic->id);
    return true;
}

static bool text_begins(struct mcap_text text, const char *with)
{
    return text.size >= strlen(with) && memcmp(text.at, with, strlen(with)) == 0;
}

static bool text_is(struct mcap_text text, const char *other)
{
    return text.size == strlen(other) && text_begins(text, other);
}

static void contents_missed_topic(struct rec_contents *c, struct mcap_text topic,
                                  struct mcap_text count)
{
    char number[24];
    uint64_t missed;
    size_t i;

    snprintf(number, sizeof(number), "%.*s", (int)(count.size < 24 ? count.size : 0), count.at);
    for (i = 0; i < c->n && !text_is(topic, c->topics[i]->topic->name); i++)
        ;
    if (i < c->n && parse_count(number, 0, UINT64_MAX, &missed))
        c->topics[i]->told += missed;
}

/*
 * Recorders also count what is missing before the first message of a topic and behind the last one. A recording
 * that was merged has several counts, and one that was filtered has none.
 */
static void contents_add_told(struct rec_contents *c)
{
    size_t i, k;

    for (i = 0; i < c->n; i++) {
        uint64_t gaps = 0;

        for (k = i; c->topics[i]->told && k < c->n; k++)
            if (strcmp(c->topics[k]->topic->name, c->topics[i]->topic->name) == 0)
                gaps += c->topics[k]->missed;
        if (c->topics[i]->told > gaps)
            c->topics[i]->missed += c->topics[i]->told - gaps;
    }
}

/* In files of MCAP the recorder writes at the end what was missed. */
static bool contents_missed(void *context, struct mcap_text name, const struct mcap_pair *pairs,
                            size_t count)
{
    const size_t prefix = strlen(LOGS_MISSED_TOPIC);
    struct rec_contents *c = context;
    size_t i;

    c->told = c->told || text_is(name, LOGS_MISSED);
    for (i = 0; text_is(name, LOGS_MISSED) && i < count; i++)
        if (text_begins(pairs[i].key, LOGS_MISSED_TOPIC))
            contents_missed_topic(
                context, (struct mcap_text){pairs[i].key.at + prefix, pairs[i].key.size - prefix},
                pairs[i].value);
    return true;
}

bool rec_contents_read(struct rec_contents *c, struct rec_pick *p, bool quick)
{
    struct stat st;
    bool ok;
    size_t i;

    *c = (struct rec_contents){.path = logs_path(p->source, 0), .source = p->source, .bytes = -1};
    if (stat(c->path, &st) == 0 && S_ISREG(st.st_mode))
        c->bytes = st.st_size;
    for (i = 0; i < logs_topics(c->source); i++)
        if (!contents_topic(c, logs_topic(c->source, i)))
            return false;
    ok = quick ? contents_summary(c) : contents_all(c, p);
    if (!logs_mcap(c->source, 0) || !logs_seekable(c->source))
        return ok;
    mcap_reader_metadata(logs_mcap(c->source, 0), contents_missed, c);
    contents_add_told(c);
    return ok && !quick ? logs_verify(c->source) : ok;
}

void rec_contents_finish(struct rec_contents *c)
{
    size_t i;

    for (i = 0; i < c->n; i++)
        free(c->topics[i]);
    free(c->topics);
}

const char *rec_contents_state(const struct rec_contents *c)
{
    static const char *const names[] = {"not read to its end", "complete", "cut short", "damaged",
                                        "being recorded"};

    return names[logs_state(c->source, 0)];
}

const char *rec_contents_format(const struct rec_contents *c)
{
    static const char *const names[] = {"mcap", "achlog", "devices"};

    return names[logs_format(c->source, 0)];
}

double rec_span(int64_t first, int64_t last)
{
    return (double)((uint64_t)last - (uint64_t)first) / (double)NS_PER_S;
}

/* Of messages that fill at least half of the recording; others are a burst, or began late. */
double rec_rate(const struct rec_contents *c, const struct rec_topic *t)
{
    double own = t->timed > 1 ? rec_span(t->first, t->last) : 0, all = rec_span(c->first, c->last);

    if (t->timed < 2 || all < RATE_SPAN_LEAST)
        return NAN;
    return own >= all / 2 ? (double)(t->timed - 1) / own : (double)t->timed / all;
}

const char *rec_time_text(int64_t ns, char text[REC_TIME_TEXT])
{
    int64_t s = ns / NS_PER_S - (ns % NS_PER_S < 0);
    time_t seconds = (time_t)s;
    struct tm tm;
    size_t used;

    gmtime_r(&seconds, &tm);
    used = strftime(text, REC_TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + used, REC_TIME_TEXT - used, ".%09lldZ", (long long)(ns - s * NS_PER_S));
    return text;
}
