/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev - look at devices and use them */
#include "dev.h"

#include <ach/transport.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "suggest.h"

static const struct verb *const tools[] = {&dev_ls,  &dev_find, &dev_print,   &dev_cmd,
                                           &dev_req, &dev_prop, &dev_messages};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

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
            return bad_value("--timeout", optarg, "seconds, as 2 or 0.5");
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

static bool has_messages(const ach_interface_t *i, unsigned type)
{
    uint32_t k;

    for (k = 0; k < i->message_count; k++)
        if (i->messages[k].type == type)
            return true;
    return false;
}

static void list_messages(const ach_interface_t *i, unsigned type)
{
    uint32_t k;

    for (k = 0; k < i->message_count; k++)
        if (i->messages[k].type == type)
            fprintf(stderr, "  %-24s %s\n", i->messages[k].name, i->messages[k].text);
}

/* Names of messages are found in either case, so they are compared in upper case, too. */
static const char *suggest_message(const ach_interface_t *i, unsigned type, const char *name)
{
    char upper[NEAREST_LENGTH_MAX];
    struct nearest n;
    size_t k;

    for (k = 0; name[k] && k + 1 < sizeof(upper); k++)
        upper[k] = (char)toupper((unsigned char)name[k]);
    upper[k] = '\0';
    n = nearest_to(upper);
    for (k = 0; k < i->message_count; k++)
        if (i->messages[k].type == type)
            nearest_offer(&n, i->messages[k].name);
    return suggest(&n);
}

const ach_message_def_t *dev_message(const ach_interface_t *i, unsigned type, const char *name)
{
    const char *kind = type == ACH_MSG_CMD ? "command" : "request";
    const ach_message_def_t *def = NULL;
    uint64_t number;

    if (parse_count(name, 0, 255, &number))
        def = ach_interface_message(i, type, (unsigned)number);
    else
        def = ach_interface_message_named(i, type, name);
    if (def)
        return def;
    if (!has_messages(i, type)) {
        complain("%s has no %ss", i->name, kind);
        return NULL;
    }
    complain("%s has no %s %s%s; it has:", i->name, kind, name, suggest_message(i, type, name));
    list_messages(i, type);
    return NULL;
}

bool dev_body(const ach_message_def_t *def, char **words, int n, void **body)
{
    *body = NULL;
    if (n == 0)
        return true;
    if (!def->body) {
        complain("%s takes no values", def->name);
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

/* Without the "dev " before it. */
static const char *tool_name(const struct verb *tool)
{
    return tool->name + strlen("dev ");
}

static const struct verb *find(const char *name)
{
    size_t i;

    for (i = 0; i < TOOLS; i++)
        if (strcmp(tool_name(tools[i]), name) == 0)
            return tools[i];
    return NULL;
}

static const char *suggest_tool(const char *name)
{
    struct nearest n = nearest_to(name);
    size_t i;

    for (i = 0; i < TOOLS; i++)
        nearest_offer(&n, tool_name(tools[i]));
    return suggest(&n);
}

static int overview(void)
{
    size_t i;

    puts("Usage: ach dev TOOL [ARGUMENT ...]\n\n"
         "Look at devices and use them.\n\nTools:");
    for (i = 0; i < TOOLS; i++)
        printf("  %-8s %s\n", tool_name(tools[i]), tools[i]->summary);
    puts("\nach dev TOOL --help says more.\n\n"
         "Examples:\n"
         "  ach dev ls\n"
         "  ach dev print laser:0\n"
         "  ach dev cmd position2d:0 vel vel.px=0.2 state=1\n");
    return EXIT_OK;
}

static int run(int argc, char **argv)
{
    const struct verb *tool;

    if (argc < 2)
        return usage("say which tool: ls, find, print, cmd, req, prop or messages");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return overview();
    tool = find(argv[1]);
    if (!tool)
        return usage("there is no tool '%s'%s", argv[1], suggest_tool(argv[1]));
    return verb_run(tool, argc - 1, argv + 1);
}

const struct verb verb_dev = {
    .name = "dev",
    .summary = "look at devices and use them",
    .help = NULL,
    .run = run,
};
