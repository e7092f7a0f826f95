/* SPDX-License-Identifier: BSD-3-Clause */
#include "page.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"

#define TEXT_MAX ((size_t)64 << 10)
#define FIELDS_TEXT (1 << 20) /* of one topic, about */

static void page_due(void *context)
{
    uint64_t now = view_now();
    struct page *p = context;

    page_watches_due(p, now);
    page_plots_due(p, now);
}

static void page_greet(struct page *p)
{
    const struct view_options *o = p->client->hub->options;
    char host[256] = "";
    struct view_text t;

    if (!view_text_begin(&t, "hello"))
        return;
    gethostname(host, sizeof(host) - 1);
    json_string(&t.json, "version", ACH_VERSION);
    json_string(&t.json, "host", host);
    json_bool(&t.json, "drive", o->drive);
    json_string(&t.json, "source", o->file ? "file" : "live");
    if (o->file)
        json_bytes(&t.json, "file", o->file_name, strlen(o->file_name));
    view_text_send(&t, p->client, NULL);
}

static bool page_open(struct view_client *c)
{
    struct page *p = calloc(1, sizeof(*p));

    if (!p)
        return false;
    c->session = p;
    p->client = c;
    p->timer = (struct view_timer){.due = page_due, .context = p};
    page_greet(p);
    if (!page_lists_open(p))
        return false;
    page_drives_show(p);
    return true;
}

static void page_close(struct view_client *c)
{
    struct page *p = page_of(c);

    if (!p)
        return;
    view_timer_stop(c->hub->loop, &p->timer);
    page_drives_leave(p, "the page was closed");
    page_lists_close(p);
    page_watches_finish(p);
    page_plots_finish(p);
    if (p->adding)
        view_blob_unref(view_text_end(&p->topics));
    free(p->gone);
    free(p);
}

static void page_status(struct view_client *c, enum view_level level, const char *sentence)
{
    static const char *const levels[] = {"info", "warning", "error"};
    struct view_text t;

    if (!view_text_begin(&t, "status"))
        return;
    json_string(&t.json, "level", levels[level]);
    json_string(&t.json, "message", sentence);
    view_text_send(&t, c, NULL);
}

static void page_clock(struct view_client *c, const struct view_clock *clock)
{
    struct page *p = page_of(c);
    struct view_text t;

    if (p->hidden || !view_text_begin(&t, "clock"))
        return;
    view_text_time(&t.json, "time", (int64_t)clock->time);
    json_number(&t.json, "speed", clock->speed);
    json_bool(&t.json, "paused", clock->paused);
    view_text_time(&t.json, "start", (int64_t)clock->start);
    view_text_time(&t.json, "end", (int64_t)clock->end);
    view_client_newest(c, &p->clock, view_text_end(&t), true);
}

static void page_forget(struct view_client *c)
{
    page_watches_forget(page_of(c));
    page_plots_forget(page_of(c));
}

/* Of an empty topic there is no message up to this time: the page must not go on showing one. */
static void page_sought(struct view_client *c)
{
    struct page *p = page_of(c);
    const struct view_topic *topic;
    struct view_text t;

    p->sought = p->hidden;
    if (p->hidden || !view_text_begin(&t, "sought"))
        return;
    view_text_time(&t.json, "time", (int64_t)c->hub->clock.time);
    json_array(&t.json, "empty");
    for (topic = c->hub->topics; topic; topic = topic->next)
        if (!topic->newest)
            json_uint(&t.json, NULL, topic->id);
    json_end_array(&t.json);
    view_text_send(&t, c, NULL);
}

static void page_fields(struct json *j, struct view_topic *t)
{
    const struct value_codec *codec = view_topic_codec(t);
    struct value_paths paths = {.count = 0};
    const off_t begin = ftello(j->out);
    size_t i;

    json_array(j, "fields");
    if (codec && value_paths_of(&paths, &codec->example.root, VALUE_SPREAD_EXAMPLE) == ACH_OK)
        for (i = 0; i < paths.count && ftello(j->out) - begin < FIELDS_TEXT; i++)
            json_string(j, NULL, paths.paths[i]);
    value_paths_finish(&paths);
    view_topic_rest(t);
    json_end_array(j);
}

static void page_begin(struct page *p)
{
    if (p->adding || !view_text_begin(&p->topics, "topics"))
        return;
    json_array(&p->topics.json, "add");
    p->adding = true;
}

static size_t page_added(struct view_client *c, struct view_topic *t)
{
    struct page *p = page_of(c);
    struct json *j = &p->topics.json;

    page_begin(p);
    if (!p->adding)
        return 0;
    json_object(j, NULL);
    json_uint(j, "id", t->id);
    json_string(j, "name", t->name);
    json_string(j, "channel", t->channel);
    json_string(j, "encoding", t->encoding);
    json_string(j, "schema", t->schema_name);
    if (t->recorded)
        json_uint(j, "recorded", t->recorded);
    page_fields(j, t);
    json_end_object(j);
    return (size_t)ftello(j->out);
}

static void page_removed(struct view_client *c, struct view_topic *t)
{
    struct page *p = page_of(c);
    uint32_t *gone = realloc(p->gone, (p->n_gone + 1) * sizeof(*gone));

    page_watches_removed(p, t->id);
    page_plots_removed(p, t->id);
    if (!gone)
        return;
    p->gone = gone;
    gone[p->n_gone++] = t->id;
}

static void page_settled(struct view_client *c)
{
    struct page *p = page_of(c);
    size_t i;

    if (!p->greeted || p->n_gone)
        page_begin(p);
    if (!p->greeted && c->hub->clock.end)
        page_clock(c, &c->hub->clock);
    p->greeted = true;
    if (!p->adding)
        return;
    json_end_array(&p->topics.json);
    json_array(&p->topics.json, "remove");
    for (i = 0; i < p->n_gone; i++)
        json_uint(&p->topics.json, NULL, p->gone[i]);
    json_end_array(&p->topics.json);
    p->n_gone = 0;
    p->adding = false;
    view_text_send(&p->topics, c, NULL);
}

static void page_visible(struct page *p, const struct value *request)
{
    bool visible;

    if (!view_request_bool(request, "visible", &visible)) {
        view_client_status(p->client, VIEW_ERROR, "visible: needs true or false");
        return;
    }
    if (visible == !p->hidden)
        return;
    p->hidden = !visible;
    if (!visible)
        page_drives_leave(p, "the page is hidden");
    if (p->sought)
        page_sought(p->client);
    page_watches_show(p, visible);
    page_plots_show(p, visible);
    page_lists_show(p, visible);
    if (visible && p->client->hub->clock.end)
        page_clock(p->client, &p->client->hub->clock);
    if (visible)
        page_drives_show(p);
    if (!visible)
        view_timer_stop(p->client->hub->loop, &p->timer);
    else
        page_alarm(p, view_now());
}

typedef void page_request_t(struct page *p, const struct value *request);

static page_request_t *page_request(const struct view_request *r)
{
    static const struct {
        const char *op;
        page_request_t *fun;
    } known[] = {
        {"watch", page_watch},     {"unwatch", page_unwatch}, {"plot", page_plot},
        {"unplot", page_unplot},   {"visible", page_visible}, {"drive", page_drive},
        {"stop", page_stop},       {"joint", page_joint},     {"goal", page_goal},
        {"release", page_release},
    };
    size_t i;

    for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (view_request_is(r, known[i].op))
            return known[i].fun;
    return NULL;
}

/* Of a recording or a simulation. */
static bool page_is_clock(const struct view_request *r)
{
    static const char *const ops[] = {"play", "pause", "step", "seek"};
    size_t i;

    for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
        if (view_request_is(r, ops[i]))
            return true;
    return false;
}

static void page_text(struct view_client *c, const char *text, size_t size)
{
    struct view_request r;
    page_request_t *fun;

    if (!view_request_parse(&r, text, size))
        view_client_status(c, VIEW_ERROR, "%s", ach_errstr());
    else if ((fun = page_request(&r)))
        fun(page_of(c), &r.tree.root);
    else if (page_is_clock(&r))
        page_clock_request(page_of(c), &r);
    else
        view_client_status(c, VIEW_ERROR, "'%.*s' is not known",
                           (int)(r.op.size < 40 ? r.op.size : 40), r.op.at);
    view_request_finish(&r);
}

static void page_binary(struct view_client *c, const uint8_t *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    view_client_close(c, VIEW_CLOSE_POLICY, "the page sends texts only");
}

const struct view_protocol view_protocol_page = {
    .name = "ach.view.v1",
    .page = true,
    .text_max = TEXT_MAX,
    .binary_max = 0,
    .open = page_open,
    .close = page_close,
    .text = page_text,
    .binary = page_binary,
    .added = page_added,
    .removed = page_removed,
    .settled = page_settled,
    .clock = page_clock,
    .forget = page_forget,
    .sought = page_sought,
    .listed = page_lists_listed,
    .status = page_status,
};
