/* SPDX-License-Identifier: BSD-3-Clause */
#include "client.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_MAX (8u << 20)
/* Requests that a client may make at once, and per second. */
#define REQUESTS_MAX 4000.0
#define REQUESTS_RATE 2000.0

struct view_client *view_client_new(struct view_hub *h, const struct view_protocol *protocol,
                                    void (*wake)(void *connection), void *connection)
{
    struct view_client *c = calloc(1, sizeof(*c));

    if (!c)
        return NULL;
    c->hub = h;
    c->protocol = protocol;
    c->wake = wake;
    c->connection = connection;
    c->requests = REQUESTS_MAX;
    c->requests_at = view_now();
    c->out.control_max = CONTROL_MAX;
    c->out.data_max = h->options->queue;
    if (!protocol->open(c) || !view_hub_join(h, c)) {
        view_client_free(c);
        return NULL;
    }
    if (*h->trouble)
        protocol->status(c, VIEW_WARNING, h->trouble);
    return c;
}

void view_client_free(struct view_client *c)
{
    if (!c)
        return;
    view_outbox_finish(&c->out); /* what waits there counts in streams of the session */
    c->protocol->close(c);
    view_hub_leave(c->hub, c);
    view_outbox_finish(&c->out);
    free(c);
}

static bool client_may(struct view_client *c)
{
    uint64_t now = view_now();

    c->requests += (double)(now - c->requests_at) * 1e-9 * REQUESTS_RATE;
    if (c->requests > REQUESTS_MAX)
        c->requests = REQUESTS_MAX;
    c->requests_at = now;
    c->requests -= 1;
    return c->requests >= 0;
}

void view_client_receive(struct view_client *c, bool text, const void *bytes, size_t size)
{
    const struct view_protocol *p = c->protocol;

    if (c->code)
        return;
    if (size > (text ? p->text_max : p->binary_max))
        view_client_close(c, VIEW_CLOSE_TOO_LARGE, "message too large");
    else if (!client_may(c))
        view_client_close(c, VIEW_CLOSE_POLICY, "too many requests");
    else if (text)
        p->text(c, bytes, size);
    else
        p->binary(c, bytes, size);
}

void view_client_close(struct view_client *c, unsigned code, const char *format, ...)
{
    va_list ap;

    if (c->code)
        return;
    c->code = code;
    va_start(ap, format);
    vsnprintf(c->reason, sizeof(c->reason), format, ap);
    va_end(ap);
    c->wake(c->connection);
}

void view_client_control(struct view_client *c, struct view_blob *blob, bool text)
{
    if (c->code)
        view_blob_unref(blob);
    else if (view_outbox_control(&c->out, blob, text))
        c->wake(c->connection);
    else
        view_client_close(c, VIEW_CLOSE_INTERNAL,
                          "the client does not read, or there is no memory");
}

void view_client_data(struct view_client *c, struct view_stream *stream, const void *head,
                      size_t head_size, struct view_blob *blob, bool text)
{
    if (c->code)
        view_blob_unref(blob);
    else if (view_outbox_data(&c->out, stream, head, head_size, blob, text))
        c->wake(c->connection);
    else
        view_client_close(c, VIEW_CLOSE_INTERNAL, "no memory");
}

void view_client_newest(struct view_client *c, struct view_stream *stream, struct view_blob *blob,
                        bool text)
{
    view_outbox_forget(&c->out, stream);
    view_client_data(c, stream, NULL, 0, blob, text);
}

void view_client_status(struct view_client *c, enum view_level level, const char *format, ...)
{
    char sentence[512];
    va_list ap;

    va_start(ap, format);
    vsnprintf(sentence, sizeof(sentence), format, ap);
    va_end(ap);
    c->protocol->status(c, level, sentence);
}

bool view_text_begin(struct view_text *t, const char *op)
{
    *t = (struct view_text){.text = NULL};
    t->json.out = open_memstream(&t->text, &t->size);
    if (!t->json.out)
        return false;
    json_object(&t->json, NULL);
    json_string(&t->json, "op", op);
    return true;
}

struct view_blob *view_text_end(struct view_text *t)
{
    bool bad;

    json_end_object(&t->json);
    bad = ferror(t->json.out) != 0;
    bad |= fclose(t->json.out) != 0;
    if (!bad)
        return view_blob_adopt(t->text, t->size);
    free(t->text);
    return NULL;
}

void view_text_send(struct view_text *t, struct view_client *c, struct view_stream *stream)
{
    struct view_blob *b = view_text_end(t);

    if (!b)
        view_client_close(c, VIEW_CLOSE_INTERNAL, "no memory");
    else if (stream)
        view_client_data(c, stream, NULL, 0, b, true);
    else
        view_client_control(c, b, true);
}

void view_text_time(struct json *j, const char *key, int64_t nanoseconds)
{
    int64_t seconds = nanoseconds / 1000000000;
    long rest = (long)(nanoseconds % 1000000000);

    if (rest < 0) {
        seconds--;
        rest += 1000000000;
    }
    json_time(j, key, seconds, rest);
}
