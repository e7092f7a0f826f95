/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * watch.c - messages of a topic for the page, newest first
 *
 * Of the messages that come within a period the newest is sent at its end. While one is still in
 * the outbox, none is added: the next one is then the newest, however slow the page is.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "format.h"
#include "page.h"

#define RATE_MAX 100.0
#define HEX_SHOWN 256u

struct page_watch {
    struct view_subscriber base; /* first */
    struct page_watch *next;
    struct page *page;
    uint32_t topic;
    uint64_t period, due; /* ns */
    struct view_blob *newest;
    uint64_t sequence, missed; /* missed: in all */
    int64_t put;
    struct view_stream stream;
};

static struct page_watch **watch_find(struct page *p, uint64_t topic)
{
    struct page_watch **at = &p->watches;

    while (*at && (*at)->topic != topic)
        at = &(*at)->next;
    return at;
}

static void watch_free(struct page_watch **at)
{
    struct page_watch *w = *at;

    *at = w->next;
    view_hub_unsubscribe(w->page->client->hub, &w->base);
    view_outbox_forget(&w->page->client->out, &w->stream);
    w->page->n_watches--;
    view_blob_unref(w->newest);
    free(w);
}

/* NULL: no memory. */
static struct view_blob *watch_text(const struct page_watch *w, const struct view_message *m,
                                    const struct value *value)
{
    struct view_text t;

    if (!view_text_begin(&t, "message"))
        return NULL;
    json_uint(&t.json, "topic", w->topic);
    view_text_time(&t.json, "time", m->put);
    json_uint(&t.json, "sequence", m->sequence);
    json_uint(&t.json, "missed", w->missed);
    json_uint(&t.json, "dropped", w->stream.dropped);
    if (value) {
        json_key(&t.json, "value");
        value_json(value, t.json.out);
    } else {
        json_hex(&t.json, "text", m->data, m->size < HEX_SHOWN ? m->size : HEX_SHOWN);
        json_uint(&t.json, "size", m->size);
    }
    return view_text_end(&t);
}

static void watch_send(struct page_watch *w, struct view_message *m)
{
    struct page_picture picture;
    const bool seen = page_picture_find(&picture, m);
    struct view_blob *text = watch_text(w, m, seen ? &picture.rest : view_message_value(m));
    struct view_blob *blob = text && seen ? page_picture_blob(&picture, text) : text;

    if (blob != text)
        view_blob_unref(text);
    if (blob)
        view_client_data(w->page->client, &w->stream, NULL, 0, blob, !seen);
    else
        view_client_close(w->page->client, VIEW_CLOSE_INTERNAL, "no memory");
}

/* Send what was kept. */
static void watch_newest(struct page_watch *w)
{
    struct view_message m = {.topic = w->base.topic,
                             .sequence = w->sequence,
                             .put = w->put,
                             .data = w->newest->bytes,
                             .size = w->newest->size,
                             .blob = w->newest};

    w->newest = NULL;
    watch_send(w, &m);
    view_message_finish(&m);
}

static void watch_keep(struct page_watch *w, struct view_message *m)
{
    struct view_blob *blob = view_message_blob(m);

    if (!blob)
        return;
    view_blob_unref(w->newest);
    w->newest = view_blob_ref(blob);
    w->sequence = m->sequence;
    w->put = m->put;
    page_alarm(w->page, w->due);
}

/* It is time for the next one. If the last one still waits, that time is dropped. */
static bool watch_may(struct page_watch *w, uint64_t now)
{
    w->due = now + w->period;
    if (!w->stream.waiting)
        return true;
    w->stream.dropped++;
    return false;
}

static void watch_message(struct view_subscriber *base, struct view_message *m)
{
    struct page_watch *w = (struct page_watch *)base;
    uint64_t now = view_now();

    w->missed += m->missed;
    if (now < w->due || !watch_may(w, now)) {
        watch_keep(w, m);
        return;
    }
    view_blob_unref(w->newest);
    w->newest = NULL;
    watch_send(w, m);
}

void page_watches_forget(struct page *p)
{
    struct page_watch *w;

    for (w = p->watches; w; w = w->next) {
        view_outbox_forget(&p->client->out, &w->stream);
        view_blob_unref(w->newest);
        w->newest = NULL;
    }
}

void page_watches_due(struct page *p, uint64_t now)
{
    struct page_watch *w;

    for (w = p->watches; w; w = w->next) {
        if (!w->newest || !w->base.topic)
            continue;
        if (now >= w->due && watch_may(w, now))
            watch_newest(w);
        else
            page_alarm(p, w->due);
    }
}

static void watch_new(struct page *p, struct view_topic *t, uint64_t period)
{
    struct page_watch *w = p->n_watches < PAGE_WATCHES ? calloc(1, sizeof(*w)) : NULL;

    if (!w) {
        view_client_status(p->client, VIEW_ERROR, "too many topics are watched");
        return;
    }
    w->base.message = watch_message;
    w->page = p;
    w->topic = t->id;
    w->period = period;
    w->next = p->watches;
    p->watches = w;
    p->n_watches++;
    if (!p->hidden)
        view_hub_subscribe(p->client->hub, t, &w->base);
}

void page_watch(struct page *p, const struct value *request)
{
    struct view_topic *t;
    struct page_watch *w;
    uint64_t topic, period;
    double rate;

    if (!view_request_number(request, "topic", UINT32_MAX, &topic) ||
        !view_request_real(request, "rate", &rate) || rate <= 0) {
        view_client_status(p->client, VIEW_ERROR, "watch: needs topic and a rate");
        return;
    }
    t = view_hub_topic(p->client->hub, topic);
    if (!t) {
        view_client_status(p->client, VIEW_WARNING, "watch: there is no such topic");
        return;
    }
    period = (uint64_t)(1e9 / (rate < RATE_MAX ? (rate > 1e-3 ? rate : 1e-3) : RATE_MAX));
    w = *watch_find(p, topic);
    if (w)
        w->period = period;
    else
        watch_new(p, t, period);
}

void page_unwatch(struct page *p, const struct value *request)
{
    struct page_watch **at;
    uint64_t topic;

    if (!view_request_number(request, "topic", UINT32_MAX, &topic)) {
        view_client_status(p->client, VIEW_ERROR, "unwatch: needs a topic");
        return;
    }
    at = watch_find(p, topic);
    if (*at)
        watch_free(at);
}

void page_watches_removed(struct page *p, uint32_t topic)
{
    struct page_watch **at = watch_find(p, topic);

    if (*at)
        watch_free(at);
}

void page_watches_show(struct page *p, bool show)
{
    struct page_watch *w;

    for (w = p->watches; w; w = w->next) {
        struct view_topic *t = view_hub_topic(p->client->hub, w->topic);

        if (show && t)
            view_hub_subscribe(p->client->hub, t, &w->base);
        if (!show)
            view_hub_unsubscribe(p->client->hub, &w->base);
    }
}

void page_watches_finish(struct page *p)
{
    while (p->watches)
        watch_free(&p->watches);
}
