/* SPDX-License-Identifier: BSD-3-Clause */
#include "script.h"

#include <ach.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64

/* Arguments of drv_script_read. */
struct script_reading {
    ach_section_t *options;
    const ach_address_t *devices;
    size_t count;
    double rate;
    struct drv_script *script;
};

static ach_status_t refuse(ach_section_t *s, const char *name, const char *expected)
{
    ach_section_refuse(s, name, 0, expected);
    return ACH_EINVAL;
}

/* The device of a section: its option "device", else the first. */
static ach_status_t read_device(const struct script_reading *r, ach_section_t *s,
                                ach_address_t *address)
{
    const char *text = ach_section_string(s, "device", NULL);
    ach_place_t place;
    size_t i;

    if (!text && r->count) {
        *address = r->devices[0];
        return ACH_OK;
    }
    if (text && ach_place_parse(text, &place) == ACH_OK)
        for (i = 0; i < r->count; i++)
            if (r->devices[i].interf == place.interf && r->devices[i].index == place.index) {
                *address = r->devices[i];
                return ACH_OK;
            }
    return refuse(s, "device", "a device that this driver provides");
}

static const ach_message_def_t *first_data(const ach_interface_t *interf)
{
    uint32_t i;

    for (i = 0; interf && i < interf->message_count; i++)
        if (interf->messages[i].type == ACH_MSG_DATA)
            return &interf->messages[i];
    return NULL;
}

/* The message of a section: its option "message". Default for data: the first data message. */
static ach_status_t script_read_message(ach_section_t *s, const ach_address_t *address,
                                        uint8_t type, const ach_message_def_t **def)
{
    const ach_interface_t *interf = ach_interface_by_code(address->interf);
    const char *name = ach_section_string(s, "message", NULL);

    if (!name && type == ACH_MSG_DATA)
        *def = first_data(interf);
    else
        *def = name ? ach_interface_message_named(interf, type, name) : NULL;
    if (*def)
        return ACH_OK;
    return refuse(s, "message",
                  type == ACH_MSG_DATA ? "a data message of the interface"
                                       : "a request of the interface");
}

/* Parse a body from words separated by blanks. */
static ach_status_t parse_words(const ach_type_t *type, char *text, void **body)
{
    const char *words[WORDS_MAX];
    char *word, *rest = NULL;
    size_t n = 0;

    for (word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        if (n == WORDS_MAX)
            return ach_errstr_set(ACH_EINVAL, "more than %d fields", WORDS_MAX);
        words[n++] = word;
    }
    return ach_body_from_words(type, words, n, body);
}

/* The strings of an option joined to one, which the caller frees. NULL: out of memory. */
static char *join(ach_section_t *s, const char *name)
{
    size_t i, n = ach_section_tuple_count(s, name), size;
    char *text = NULL;
    FILE *to = open_memstream(&text, &size);

    if (!to)
        return NULL;
    for (i = 0; i < n; i++)
        fprintf(to, "%s ", ach_section_tuple_string(s, name, i, ""));
    fclose(to);
    return text;
}

/* Parse the option "body", with words such as vel.px=0.5. Without a section: no words. */
static ach_status_t parse_body(const ach_type_t *type, ach_section_t *s, void **body)
{
    char *text = s ? join(s, "body") : strdup("");
    ach_status_t status;

    if (!text)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a body");
    status = parse_words(type, text, body);
    free(text);
    return status;
}

static ach_status_t script_read_body(ach_section_t *s, const ach_type_t *type, void **body)
{
    char text[300];

    *body = NULL;
    if (!type)
        return ach_section_has(s, "body") ? refuse(s, "body", "none: the message has no body")
                                          : ACH_OK;
    if (parse_body(type, s, body) == ACH_OK)
        return ACH_OK;
    snprintf(text, sizeof(text), "fields of that message, as \"vel.px=1 vel.py=2\": %.200s",
             ach_errstr());
    return refuse(s, "body", text);
}

static ach_status_t add_stream(const struct script_reading *r, ach_section_t *s,
                               const ach_address_t *address, const ach_message_def_t *def)
{
    struct drv_stream *stream = calloc(1, sizeof(*stream)), **end = &r->script->streams;
    double rate = s ? ach_section_double(s, "rate", r->rate) : r->rate;

    if (!stream)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for a stream");
    while (*end)
        end = &(*end)->next;
    *end = stream;
    stream->address = *address;
    stream->def = def;
    if (!(rate > 0 && rate <= 1e5))
        return refuse(s ? s : r->options, "rate", "a rate above 0 and up to 100000, in Hz");
    stream->period = 1 / rate;
    if (s)
        return script_read_body(s, def->body, &stream->body);
    return def->body ? parse_body(def->body, NULL, &stream->body) : ACH_OK;
}

static ach_status_t read_publish(const struct script_reading *r, ach_section_t *s)
{
    const ach_message_def_t *def;
    ach_address_t address;

    if (read_device(r, s, &address) != ACH_OK ||
        script_read_message(s, &address, ACH_MSG_DATA, &def) != ACH_OK)
        return ACH_EINVAL;
    return add_stream(r, s, &address, def);
}

static struct drv_stream *find_stream(const struct script_reading *r, const ach_address_t *address,
                                      const ach_message_def_t *def)
{
    struct drv_stream *s = r->script->streams;

    while (s && !(ach_address_equal(&s->address, address) && (!def || s->def == def)))
        s = s->next;
    return s;
}

static ach_status_t read_signal(const struct script_reading *r, ach_section_t *s)
{
    const ach_message_def_t *def;
    struct drv_signal *signal;
    struct drv_stream *stream;
    ach_address_t address;
    ach_status_t status;

    if (read_device(r, s, &address) != ACH_OK ||
        script_read_message(s, &address, ACH_MSG_DATA, &def) != ACH_OK)
        return ACH_EINVAL;
    stream = find_stream(r, &address, def);
    if (!stream)
        return refuse(s, "message", "a message that the device publishes");
    status = drv_signal_read(s, def->body, &signal);
    if (status != ACH_OK)
        return status;
    signal->next = stream->signals;
    stream->signals = signal;
    return ACH_OK;
}

static ach_status_t read_answer(const struct script_reading *r, ach_section_t *s)
{
    struct drv_reply *reply = calloc(1, sizeof(*reply));

    if (!reply)
        return ach_errstr_set(ACH_FAILED_SYSCALL, "no memory for an answer");
    reply->next = r->script->replies;
    r->script->replies = reply;
    if (read_device(r, s, &reply->address) != ACH_OK ||
        script_read_message(s, &reply->address, ACH_MSG_REQ, &reply->def) != ACH_OK)
        return ACH_EINVAL;
    reply->refuse = ach_section_bool(s, "refuse", false);
    reply->hold = ach_section_bool(s, "hold", false);
    reply->delay = ach_section_double(s, "delay", 0);
    if (ach_section_has(s, "body") && script_read_body(s, reply->def->body, &reply->body) != ACH_OK)
        return ACH_EINVAL;
    return ach_section_failed(s) ? ACH_EINVAL : ACH_OK;
}

static ach_status_t read_sections(const struct script_reading *r, const char *name,
                                  ach_status_t (*read)(const struct script_reading *,
                                                       ach_section_t *))
{
    ach_status_t status = ACH_OK;
    ach_section_t *s = NULL;

    while (status == ACH_OK && (s = ach_section_next(r->options, name, s)))
        status = read(r, s);
    return status;
}

static ach_status_t add_missing(const struct script_reading *r)
{
    ach_status_t status = ACH_OK;
    size_t i;

    for (i = 0; i < r->count && status == ACH_OK; i++) {
        const ach_message_def_t *def = first_data(ach_interface_by_code(r->devices[i].interf));

        if (def && !find_stream(r, &r->devices[i], NULL))
            status = add_stream(r, NULL, &r->devices[i], def);
    }
    return status;
}

ach_status_t drv_script_read(ach_section_t *options, const ach_address_t *devices, size_t count,
                             double rate, struct drv_script *script)
{
    struct script_reading r = {options, devices, count, rate, script};
    ach_status_t status = read_sections(&r, "publish", read_publish);

    if (status == ACH_OK)
        status = add_missing(&r);
    if (status == ACH_OK)
        status = read_sections(&r, "signal", read_signal);
    return status == ACH_OK ? read_sections(&r, "answer", read_answer) : status;
}

static void free_stream(struct drv_stream *s)
{
    while (s->signals) {
        struct drv_signal *signal = s->signals;

        s->signals = signal->next;
        free(signal);
    }
    free(s->body);
    free(s);
}

void drv_script_free(struct drv_script *script)
{
    while (script->streams) {
        struct drv_stream *s = script->streams;

        script->streams = s->next;
        free_stream(s);
    }
    while (script->replies) {
        struct drv_reply *r = script->replies;

        script->replies = r->next;
        free(r->body);
        free(r);
    }
}
