/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plot.c - the values of some fields in all messages of a topic
 *
 * Samples are collected and sent every 50 ms. If the page is slow, the oldest are dropped and
 * counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "page.h"
#include "path.h"

#define PERIOD 50000000u         /* ns */
#define KEPT ((size_t)128 << 10) /* numbers of a plot that are kept at most */
#define PATH_MAX_SIZE 512u
#define SAMPLES 1

struct page_plot {
    struct view_subscriber base; /* first */
    struct page_plot *next;
    struct page *page;
    uint32_t number, topic;
    size_t n_fields;
    char *fields[PAGE_FIELDS];
    double *samples; /* time and fields of each; a ring would save the moves of a slow page only */
    size_t count, room;
    uint64_t dropped;
    uint64_t due;
    struct view_stream stream;
};

static struct page_plot **plot_find(struct page *p, uint64_t number)
{
    struct page_plot **at = &p->plots;

    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

static void plot_free(struct page_plot **at)
{
    struct page_plot *q = *at;
    size_t i;

    *at = q->next;
    view_hub_unsubscribe(q->page->client->hub, &q->base);
    view_outbox_forget(&q->page->client->out, &q->stream);
    q->page->n_plots--;
    for (i = 0; i < q->n_fields; i++)
        free(q->fields[i]);
    free(q->samples);
    free(q);
}

static size_t plot_width(const struct page_plot *q)
{
    return 1 + q->n_fields;
}

/* Room for one more sample: the older half goes if there are too many. */
static double *plot_room(struct page_plot *q)
{
    size_t width = plot_width(q), most = KEPT / width, half = q->count / 2;
    double *bigger;

    if (q->count == q->room && q->room < most) {
        size_t room = q->room ? 2 * q->room : 64;

        room = room < most ? room : most;
        bigger = realloc(q->samples, room * width * sizeof(*bigger));
        if (!bigger)
            return NULL;
        q->samples = bigger;
        q->room = room;
    }
    if (q->count == q->room) {
        memmove(q->samples, q->samples + half * width,
                (q->count - half) * width * sizeof(*q->samples));
        q->count -= half;
        q->dropped += half;
    }
    return q->samples + q->count++ * width;
}

static double plot_field(const struct value *value, const char *path)
{
    struct value found;
    double real;

    if (value && value_find(value, path, &found) == ACH_OK && value_real(&found, &real))
        return real;
    return (double)NAN;
}

static void plot_message(struct view_subscriber *base, struct view_message *m)
{
    struct page_plot *q = (struct page_plot *)base;
    const struct value *value = view_message_value(m);
    double *sample = plot_room(q);
    size_t i;

    if (!sample) {
        q->dropped++;
        return;
    }
    sample[0] = page_time(m->put);
    for (i = 0; i < q->n_fields; i++)
        sample[1 + i] = plot_field(value, q->fields[i]);
    if (!q->due) {
        q->due = view_now() + PERIOD;
        page_alarm(q->page, q->due);
    }
}

static void plot_send(struct page_plot *q)
{
    size_t i, n = q->count * plot_width(q), size = 1 + 4 + 4 + 4 + 8 + 8 * n;
    uint8_t *bytes = malloc(size), *to = bytes;

    if (!bytes)
        return;
    to = view_put(to, SAMPLES, 1);
    to = view_put(to, q->number, 4);
    to = view_put(to, q->count, 4);
    to = view_put(to, q->n_fields, 4);
    to = view_put(to, q->dropped, 8);
    for (i = 0; i < n; i++)
        to = view_put_double(to, q->samples[i]);
    q->count = 0;
    view_client_data(q->page->client, &q->stream, NULL, 0, view_blob_adopt(bytes, size), false);
}

void page_plots_forget(struct page *p)
{
    struct page_plot *q;

    for (q = p->plots; q; q = q->next)
        q->count = 0;
}

void page_plots_due(struct page *p, uint64_t now)
{
    struct page_plot *q;

    for (q = p->plots; q; q = q->next) {
        if (!q->due)
            continue;
        if (now >= q->due && !q->stream.waiting) {
            q->due = 0;
            plot_send(q);
        } else {
            page_alarm(p, now < q->due ? q->due : now + PERIOD);
        }
    }
}

static bool plot_fields(struct page_plot *q, const struct value *list)
{
    char path[PATH_MAX_SIZE];
    size_t i;

    for (i = 0; i < list->count; i++) {
        const struct value *v = &list->items[i];

        if (v->kind != VALUE_TEXT ||
            !view_text_copy((struct value_text){v->text, v->count}, path, sizeof(path)))
            return false;
        q->fields[q->n_fields] = strdup(path);
        if (!q->fields[q->n_fields])
            return false;
        q->n_fields++;
    }
    return q->n_fields > 0;
}

static void plot_new(struct page *p, uint32_t number, struct view_topic *t,
                     const struct value *fields)
{
    struct page_plot *q = p->n_plots < PAGE_PLOTS ? calloc(1, sizeof(*q)) : NULL;

    if (!q) {
        view_client_status(p->client, VIEW_ERROR, "there are too many plots");
        return;
    }
    q->base.message = plot_message;
    q->page = p;
    q->number = number;
    q->topic = t->id;
    q->next = p->plots;
    p->plots = q;
    p->n_plots++;
    if (!plot_fields(q, fields)) {
        view_client_status(p->client, VIEW_ERROR, "plot: fields must be paths, as pose.position.x");
        plot_free(&p->plots);
    } else if (!p->hidden) {
        view_hub_subscribe(p->client->hub, t, &q->base);
    }
}

void page_plot(struct page *p, const struct value *request)
{
    const struct value *fields = view_request_list(request, "fields");
    struct page_plot **at;
    struct view_topic *t;
    uint64_t number, topic;

    if (!view_request_number(request, "plot", UINT32_MAX, &number) ||
        !view_request_number(request, "topic", UINT32_MAX, &topic) || !fields ||
        fields->count > PAGE_FIELDS) {
        view_client_status(p->client, VIEW_ERROR, "plot: needs plot, topic and at most %u fields",
                           PAGE_FIELDS);
        return;
    }
    at = plot_find(p, number);
    if (*at)
        plot_free(at);
    t = view_hub_topic(p->client->hub, topic);
    if (t)
        plot_new(p, (uint32_t)number, t, fields);
    else
        view_client_status(p->client, VIEW_WARNING, "plot: there is no such topic");
}

void page_unplot(struct page *p, const struct value *request)
{
    struct page_plot **at;
    uint64_t number;

    if (!view_request_number(request, "plot", UINT32_MAX, &number)) {
        view_client_status(p->client, VIEW_ERROR, "unplot: needs a plot");
        return;
    }
    at = plot_find(p, number);
    if (*at)
        plot_free(at);
}

void page_plots_removed(struct page *p, uint32_t topic)
{
    struct page_plot **at = &p->plots;

    while (*at)
        if ((*at)->topic == topic)
            plot_free(at);
        else
            at = &(*at)->next;
}

void page_plots_show(struct page *p, bool show)
{
    struct page_plot *q;

    for (q = p->plots; q; q = q->next) {
        struct view_topic *t = view_hub_topic(p->client->hub, q->topic);

        if (show && t)
            view_hub_subscribe(p->client->hub, t, &q->base);
        if (!show)
            view_hub_unsubscribe(p->client->hub, &q->base);
    }
}

void page_plots_finish(struct page *p)
{
    while (p->plots)
        plot_free(&p->plots);
}
