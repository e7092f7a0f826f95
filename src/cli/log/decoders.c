/* SPDX-License-Identifier: BSD-3-Clause */
#include "decoders.h"

#include <stdlib.h>
#include <string.h>

#include "../../logs/keys.h"

#define NS_PER_S 1000000000ll

bool rec_topic_type(const struct logs_topic *t, ach_channel_type_t *type)
{
    *type = (ach_channel_type_t){.name = t->schema_name,
                                 .encoding = t->encoding,
                                 .schema_encoding = t->schema_encoding,
                                 .schema = t->schema,
                                 .schema_size = t->schema_size};
    return *t->encoding && strcmp(t->encoding, LOGS_ENCODING_DEVICE) != 0;
}

/* Each topic has columns of its own, and the same fields. */
static bool decoder_fields(struct rec_decoder *d, const struct rec_printing *printing)
{
    size_t i;

    for (i = 0; i < printing->fields.count; i++)
        if (!selection_add(&d->printer.fields, printing->fields.paths[i]))
            return false;
    return true;
}

static struct rec_decoder *decoder_new(struct rec_decoders *all,
                                       const struct rec_printing *printing,
                                       const struct logs_topic *t)
{
    struct rec_decoder *d = calloc(1, sizeof(*d));
    ach_channel_type_t type;
    bool typed = rec_topic_type(t, &type);

    if (!d) {
        complain("no memory");
        return NULL;
    }
    d->printer =
        (struct printer){.to = printing->to, .look = printing->look, .format = printing->format};
    decoder_begin_type(&d->decoder, t->name, typed ? &type : NULL,
                       logs_device(t) != LOGS_NO_DEVICE);
    d->usable = decoder_fields(d, printing) && printer_begin(&d->printer, &d->decoder);
    all->failed = all->failed || !d->usable;
    d->next = all->list;
    all->list = d;
    return d;
}

static struct timespec decoder_time(int64_t ns)
{
    int64_t s = ns / NS_PER_S - (ns % NS_PER_S < 0);

    return (struct timespec){.tv_sec = (time_t)s, .tv_nsec = (long)(ns - s * NS_PER_S)};
}

static void decoder_print(struct rec_decoders *all, struct rec_decoder *d,
                          const struct rec_printing *printing, const struct logs_message *m)
{
    struct printed p = {.topic = printing->plain ? NULL : m->topic->name,
                        .untimed = m->untimed,
                        .time = decoder_time(m->time),
                        .sequence = m->sequence,
                        .missed = m->missed};
    const void *data;
    const char *why;

    if (logs_bare(m, &data, &p.size, &why)) {
        p.data = data;
        printer_message(&d->printer, &d->decoder, &p);
        all->left_out = all->left_out || d->printer.left_out;
        return;
    }
    if (!d->refused)
        complain("the topic '%s' cannot be decoded: its messages %s", m->topic->name, why);
    d->refused = all->failed = true;
}

bool rec_leave_out(struct rec_decoders *all, struct logs_topic *t)
{
    struct rec_decoder *d = calloc(1, sizeof(*d));

    if (!d) {
        complain("no memory");
        return false;
    }
    decoder_begin_type(&d->decoder, t->name, NULL, false);
    d->next = all->list;
    all->list = d;
    t->user = d;
    return true;
}

bool rec_print(struct rec_decoders *all, const struct rec_printing *printing,
               const struct logs_message *m)
{
    struct rec_decoder *d = m->topic->user;

    if (!d)
        d = m->topic->user = decoder_new(all, printing, m->topic);
    if (d && d->usable)
        decoder_print(all, d, printing, m);
    return d != NULL;
}

void rec_decoders_finish(struct rec_decoders *all)
{
    while (all->list) {
        struct rec_decoder *d = all->list;

        all->list = d->next;
        if (d->printer.left_out)
            complain("%llu messages of '%s' could not be decoded and are left out",
                     (unsigned long long)d->printer.left_out, d->decoder.channel);
        printer_finish(&d->printer);
        decoder_end(&d->decoder);
        free(d);
    }
}
