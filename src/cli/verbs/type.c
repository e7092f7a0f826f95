/* SPDX-License-Identifier: BSD-3-Clause */
/* ach type - what the messages of channels are */
#include <ach.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "describe.h"
#include "show.h"
#include "survey.h"
#include "table.h"

static int show_type(const char *name, bool raw)
{
    const ach_channel_type_t *type;
    ach_channel_t chan;
    int status = EXIT_FAILED;

    if (!open_channel(&chan, name, true))
        return EXIT_FAILED;
    if (ach_channel_type(&chan, &type) != ACH_OK) {
        complain("channel '%s': %s", name, ach_errstr());
    } else {
        status = EXIT_OK;
        if (!raw)
            printf("# %s, messages in %s\n", type->name, type->encoding);
        if (raw || is_lines(type->schema, type->schema_size))
            fwrite(type->schema, 1, type->schema_size, stdout);
        else if (type->schema_size)
            print_dump(type->schema, type->schema_size);
    }
    ach_close(&chan);
    return status;
}

static void type_row(struct table *t, const char *name, const ach_channel_type_t *type)
{
    table_cell(t, "%s", name);
    table_cell(t, "%s", type->name);
    table_cell(t, "%s", type->encoding);
    table_cell(t, "%s", type->schema_size ? type->schema_encoding : "-");
}

static int list_types(void)
{
    struct table t = {.align = "llll"};
    struct survey s = {.npatterns = 0};
    bool looked = survey_look(&s);
    size_t i;

    table_cell(&t, "%s", "CHANNEL");
    table_cell(&t, "%s", "TYPE");
    table_cell(&t, "%s", "ENCODING");
    table_cell(&t, "%s", "SCHEMA");
    for (i = 0; i < s.n; i++) {
        const struct surveyed *c = s.items[i];
        const ach_channel_type_t *type = c->open ? channel_type(&c->chan) : NULL;

        if (type)
            type_row(&t, c->name, type);
    }
    if (looked)
        table_print(&t, stdout, SIZE_MAX, "\n");
    table_finish(&t);
    survey_finish(&s);
    return looked ? EXIT_OK : EXIT_FAILED;
}

static int type_run(int argc, char **argv)
{
    static const struct option longs[] = {{"raw", no_argument, NULL, 'r'}, {0}};
    bool raw = false;
    int c;

    while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
        if (c == '?')
            return usage_hint();
        raw = true;
    }
    if (optind < argc && strcmp(argv[optind], "ls") == 0)
        return optind + 1 == argc && !raw ? list_types() : usage("'ls' takes nothing more");
    if (optind + 2 == argc && strcmp(argv[optind], "show") == 0)
        return show_type(argv[optind + 1], raw);
    return usage("expected 'ls' or 'show CHANNEL'");
}

const struct verb verb_type = {
    .name = "type",
    .summary = "print what the messages of channels are",
    .help = "Usage: ach type ls\n"
            "       ach type show [--raw] CHANNEL\n\n"
            "List the channels that have a type, or print the schema of a channel: the definition\n"
            "of its messages. A schema that is not text is printed as a hex dump.\n\n"
            "Options:\n"
            "      --raw   print the bytes of the schema and nothing else\n"
            "  -h, --help  print this help\n\n"
            "Examples:\n"
            "  ach type ls\n"
            "  ach type show cmd_vel\n"
            "  ach type show --raw cmd_vel >Twist.msg\n",
    .run = type_run,
};
