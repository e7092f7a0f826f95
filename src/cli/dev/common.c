/* SPDX-License-Identifier: BSD-3-Clause */
/* common.c - shared by the tools of ach dev: options, names of messages, bodies */
#include <ach/transport.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "parse.h"
#include "suggest.h"

void dev_options_init(struct dev_options *o)
{
    *o = (struct dev_options){.attr = {.size = sizeof(o->attr), .timeout = 5}, .timeout = 5};
}

bool dev_option(struct dev_options *o, int c)
{
    switch (c) {
    case 't':
        o->attr.transport = optarg;
        return true;
    case 'P':
        if (ach_transport_add_plugin(optarg) == ACH_OK)
            return true;
        complain("%s", ach_errstr());
        return false;
    case 'T':
        if (!parse_seconds(optarg, &o->timeout))
            return bad_value("--timeout", optarg, "seconds, for example 2 or 0.5");
        o->attr.timeout = o->timeout;
        return true;
    default:
        usage_hint();
        return false;
    }
}

ach_device_t *dev_open(const struct dev_options *o, const char *address)
{
    ach_device_t *d;

    if (ach_device_open(address, &o->attr, &d) == ACH_OK)
        return d;
    complain("%s: %s", address, ach_errstr());
    return NULL;
}

const ach_interface_t *dev_interface(const ach_device_t *device)
{
    return ach_interface_by_code(ach_device_address(device)->interf);
}

/* The next message of a type, from index *k on; NULL: none. Advances *k past it. */
static const ach_message_def_t *next_message(const ach_interface_t *i, unsigned type, uint32_t *k)
{
    while (*k < i->message_count) {
        const ach_message_def_t *def = &i->messages[(*k)++];

        if (def->type == type)
            return def;
    }
    return NULL;
}

static void common_list_messages(const ach_interface_t *i, unsigned type)
{
    const ach_message_def_t *def;
    uint32_t k = 0;

    while ((def = next_message(i, type, &k)))
        fprintf(stderr, "  %-24s %s\n", def->name, def->text);
}

/* Message names are case-insensitive, so compare in upper case. */
static const char *suggest_message(const ach_interface_t *i, unsigned type, const char *name)
{
    const ach_message_def_t *def;
    char upper[NEAREST_LENGTH_MAX] = "";
    struct nearest n;
    uint32_t k = 0;
    size_t j;

    for (j = 0; name[j] && j + 1 < sizeof(upper); j++)
        upper[j] = (char)toupper((unsigned char)name[j]);
    n = nearest_to(upper);
    while ((def = next_message(i, type, &k)))
        nearest_offer(&n, def->name);
    return suggest(&n);
}

const ach_message_def_t *dev_message(const ach_interface_t *i, unsigned type, const char *name)
{
    const char *kind = type == ACH_MSG_CMD ? "command" : "request";
    const ach_message_def_t *def = NULL;
    const char *meant;
    uint32_t first = 0;
    uint64_t number;

    if (parse_count(name, 0, 255, &number))
        def = ach_interface_message(i, type, (unsigned)number);
    else
        def = ach_interface_message_named(i, type, name);
    if (def)
        return def;
    if (!next_message(i, type, &first)) {
        complain("%s has no %ss", i->name, kind);
        return NULL;
    }
    meant = suggest_message(i, type, name);
    complain("%s has no %s %s%s%s", i->name, kind, name, meant, *meant ? " It has:" : "; it has:");
    common_list_messages(i, type);
    return NULL;
}

bool dev_body(const ach_message_def_t *def, char **words, int n, void **body)
{
    *body = NULL;
    if (n == 0 && (def->type != ACH_MSG_CMD || !def->body)) /* many requests have no body */
        return true;
    if (!def->body) {
        complain("%s has no fields, so give no values", def->name);
        return false;
    }
    if (ach_body_from_words(def->body, (const char *const *)words, (size_t)n, body) == ACH_OK)
        return true;
    complain("%s", ach_errstr());
    return false;
}

void dev_show(const ach_message_t *m, bool json)
{
    const ach_header_t *h = ach_message_header(m);
    const ach_interface_t *i = ach_interface_by_code(h->address.interf);
    const ach_message_def_t *def = ach_interface_message(i, h->type, h->subtype);
    const void *body = ach_message_body(m);
    char text[ACH_ADDRESS_MAX];

    if (!json) {
        printf("%s %s %.6f\n", ach_address_text(&h->address, text), def ? def->name : "?",
               h->timestamp);
        if (body && def)
            ach_body_print(def->body, body, 2, stdout);
        return;
    }
    printf("{\"device\":\"%s\",\"message\":\"%s\",\"type\":%u,\"subtype\":%u,\"time\":%.9f",
           ach_address_text(&h->address, text), def ? def->name : "", h->type, h->subtype,
           h->timestamp);
    if (body && def) {
        printf(",\"body\":");
        ach_body_json(def->body, body, stdout);
    }
    printf("}\n");
}
