/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * graph.c - which processes write and read the topics, for clients of Foxglove
 *
 * The whole graph is sent whenever it has changed.
 */
#include <stdlib.h>
#include <string.h>

#include "foxglove.h"

static void graph_topic(struct json *j, const struct view_hub *h, const struct view_topic *t,
                        bool writes)
{
    const struct surveyed *s = survey_named(&h->channels.survey, t->channel);
    char id[64];
    size_t i;

    json_object(j, NULL);
    json_string(j, "name", t->name);
    json_array(j, writes ? "publisherIds" : "subscriberIds");
    for (i = 0; s && i < h->channels.users.n; i++) {
        const struct user *u = &h->channels.users.items[i];

        if (u->writes != writes || !users_match(u, s->name, &s->info))
            continue;
        snprintf(id, sizeof(id), "%s:%d", u->process, (int)u->pid);
        json_bytes(j, NULL, id, strlen(id));
    }
    json_end_array(j);
    json_end_object(j);
}

static void graph_topics(struct json *j, const struct view_hub *h, const char *key, bool writes)
{
    const struct view_topic *t;

    json_array(j, key);
    for (t = h->topics; t; t = t->next)
        if (view_topic_is_known(t))
            graph_topic(j, h, t, writes);
    json_end_array(j);
}

static struct view_blob *graph_text(struct foxglove *f)
{
    const struct view_hub *h = f->client->hub;
    struct view_text t;
    size_t i;

    if (!view_text_begin(&t, "connectionGraphUpdate"))
        return NULL;
    graph_topics(&t.json, h, "publishedTopics", true);
    graph_topics(&t.json, h, "subscribedTopics", false);
    json_array(&t.json, "advertisedServices");
    json_end_array(&t.json);
    json_array(&t.json, "removedTopics");
    for (i = 0; i < f->n_gone_names; i++)
        json_string(&t.json, NULL, f->gone_names[i]);
    json_end_array(&t.json);
    json_array(&t.json, "removedServices");
    json_end_array(&t.json);
    return view_text_end(&t);
}

static void graph_forget_names(struct foxglove *f)
{
    while (f->n_gone_names)
        free(f->gone_names[--f->n_gone_names]);
    free(f->gone_names);
    f->gone_names = NULL;
}

void view_graph_listed(struct view_client *c)
{
    struct foxglove *f = c->session;
    struct view_blob *text;

    if (!f->graph || f->graph_stream.waiting)
        return;
    text = graph_text(f);
    if (!text || (f->graph_text && text->size == f->graph_text->size &&
                  memcmp(text->bytes, f->graph_text->bytes, text->size) == 0)) {
        view_blob_unref(text);
        return;
    }
    graph_forget_names(f);
    view_blob_unref(f->graph_text);
    f->graph_text = view_blob_ref(text);
    view_client_data(c, &f->graph_stream, NULL, 0, text, true);
}

void view_graph_removed(struct foxglove *f, const struct view_topic *t)
{
    char **names = f->graph ? realloc(f->gone_names, (f->n_gone_names + 1) * sizeof(*names)) : NULL;

    if (!names)
        return;
    f->gone_names = names;
    names[f->n_gone_names] = strdup(t->name);
    f->n_gone_names += names[f->n_gone_names] != NULL;
}

void view_graph_want(struct foxglove *f, bool want)
{
    if (f->graph == want || f->client->hub->options->file)
        return;
    f->graph = want;
    view_channels_want(&f->client->hub->channels, want);
    view_outbox_forget(&f->client->out, &f->graph_stream);
    view_blob_unref(f->graph_text);
    f->graph_text = NULL;
    graph_forget_names(f);
}
