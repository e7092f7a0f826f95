/* SPDX-License-Identifier: BSD-3-Clause */
/* ach dev messages - list the messages of an interface, and their fields */
#include <stdlib.h>
#include <string.h>

#include "dev.h"
#include "suggest.h"
#include "table.h"

#define CODES 1024u

static const char *type_word(unsigned type)
{
    return type == ACH_MSG_DATA ? "data" : type == ACH_MSG_CMD ? "cmd" : "req";
}

/* Iterate over all interfaces; start with *code = 0. */
static const ach_interface_t *next_interface(unsigned *code)
{
    while (*code < CODES) {
        const ach_interface_t *i = ach_interface_by_code((*code)++);

        if (i)
            return i;
    }
    return NULL;
}

static int list_interfaces(bool names)
{
    struct table t = {.align = "ll"};
    const ach_interface_t *i;
    unsigned code = 0;

    while ((i = next_interface(&code))) {
        if (names) {
            puts(i->name);
            continue;
        }
        table_cell(&t, "%s", i->name);
        table_cell(&t, "%s", i->text);
    }
    table_print(&t, stdout, CODES, "\n");
    table_finish(&t);
    return EXIT_OK;
}

/* "laser", "laser:0" and "robot.local:6665:laser:0" name the same interface. */
static const ach_interface_t *find_interface(const char *text)
{
    const ach_interface_t *i, *known;
    struct nearest n = nearest_to(text);
    ach_place_t place;
    unsigned code = 0;

    i = ach_interface_find(text);
    if (i)
        return i;
    if (strchr(text, ':')) {
        if (ach_place_parse(text, &place) == ACH_OK)
            return ach_interface_by_code(place.interf);
        fail_errstr();
        return NULL;
    }
    while ((known = next_interface(&code)))
        nearest_offer(&n, known->name);
    complain("there is no interface '%s'%s", text, suggest(&n));
    return NULL;
}

static int messages_list_messages(const ach_interface_t *i, bool names)
{
    struct table t = {.align = "lll"};
    uint32_t k;

    for (k = 0; k < i->message_count; k++) {
        const ach_message_def_t *m = &i->messages[k];

        if (names) {
            printf("%s %s\n", type_word(m->type), m->name);
            continue;
        }
        table_cell(&t, "%s", type_word(m->type));
        table_cell(&t, "%s", m->name);
        table_cell(&t, "%s", m->text);
    }
    table_print(&t, stdout, i->message_count, "\n");
    table_finish(&t);
    return EXIT_OK;
}

static const char *kind_word(unsigned kind)
{
    static const char *const words[] = {"",      "int8",   "uint8", "string", "int16", "uint16",
                                        "int32", "uint32", "int64", "uint64", "float", "double"};

    return kind < sizeof(words) / sizeof(words[0]) ? words[kind] : "";
}

/* Add a row for each field; nested types are expanded. */
static void list_fields(struct table *t, const ach_type_t *type, const char *before, bool names)
{
    uint32_t i;

    for (i = 0; i < type->field_count; i++) {
        const ach_field_t *f = &type->fields[i];
        bool array = f->array == ACH_ARRAY_FIXED || f->array == ACH_ARRAY_VARIABLE;
        char *name = NULL;

        if (f->array == ACH_ARRAY_COUNT)
            continue;
        if (asprintf(&name, "%s%s%s", before, f->name, f->type ? array ? "[0]." : "." : "") < 0) {
            complain("out of memory");
            exit(EXIT_FAILED);
        }
        if (f->type) {
            list_fields(t, f->type, name, names);
        } else if (names) {
            puts(name);
        } else {
            table_cell(t, "%s", name);
            table_cell(t, "%s%s", kind_word(f->kind),
                       array && f->kind != ACH_KIND_CHAR ? "[]" : "");
            table_cell(t, "%s", f->text);
        }
        free(name);
    }
}

static const ach_message_def_t *find_message(const ach_interface_t *i, const char *name)
{
    static const unsigned types[] = {ACH_MSG_DATA, ACH_MSG_CMD, ACH_MSG_REQ};
    const ach_message_def_t *m;
    size_t k;

    for (k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        m = ach_interface_message_named(i, types[k], name);
        if (m)
            return m;
    }
    complain("%s has no message %s; 'ach dev messages %s' lists those it has", i->name, name,
             i->name);
    return NULL;
}

/* Find a message with a type before its name: cmd or req as in ach dev cmd and ach dev req. */
static const ach_message_def_t *find_typed(const ach_interface_t *i, const char *type,
                                           const char *name)
{
    if (strcmp(type, "cmd") == 0)
        return dev_message(i, ACH_MSG_CMD, name);
    if (strcmp(type, "req") == 0)
        return dev_message(i, ACH_MSG_REQ, name);
    return find_message(i, name);
}

static int show_message(const ach_message_def_t *m, bool names)
{
    struct table t = {.align = "lll"};

    if (!m)
        return EXIT_FAILED;
    if (!names)
        printf("%s %s  %s\n", type_word(m->type), m->name, m->text);
    if (m->body)
        list_fields(&t, m->body, names ? "" : "  ", names);
    table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
    return EXIT_OK;
}

static int messages_run(int argc, char **argv)
{
    static const struct option options[] = {{"names", no_argument, NULL, 'n'}, {0}};
    const ach_interface_t *i;
    bool names = false;
    int c, n;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        names = true;
    }
    n = argc - optind;
    if (n > 3)
        return usage("give an interface and a message at most");
    if (n == 0)
        return list_interfaces(names);
    i = find_interface(argv[optind]);
    if (!i)
        return EXIT_FAILED;
    if (n == 1)
        return messages_list_messages(i, names);
    if (n == 2)
        return show_message(find_message(i, argv[optind + 1]), names);
    return show_message(find_typed(i, argv[optind + 1], argv[optind + 2]), names);
}

const struct verb dev_messages = {
    .name = "dev messages",
    .summary = "list interfaces, their messages and fields",
    .help = "Usage: ach dev messages [--names] [INTERFACE | DEVICE [[cmd | req] MESSAGE]]\n\n"
            "List the interfaces; the messages of one: data that its devices send, commands\n"
            "(cmd) and requests (req) that they accept; or the fields of a message, as\n"
            "'ach dev cmd' and 'ach dev req' accept them. No server is needed.\n\n"
            "Options:\n"
            "      --names  only the names, for completion\n"
            "      --help   print this help\n\n"
            "Examples:\n"
            "  ach dev messages\n"
            "  ach dev messages position2d\n"
            "  ach dev messages position2d vel\n",
    .run = messages_run,
};
